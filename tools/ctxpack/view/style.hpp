#pragma once
#include <string_view>

namespace ctxpack::view {

/// Each kind has a colour, for light and for dark, and a pattern, for whoever does not see colours or prints in grey.
inline constexpr std::string_view style = R"css(
:root{color-scheme:light dark;--bg:#fbfbfa;--panel:#fff;--ink:#1c1f23;--soft:#5a626c;--line:#dfe2e6;--accent:#0b62c4;
--fixed:#3d5a80;--notes:#b5762a;--history:#2f8f6b;--evidence:#9a4fb5;--free:#eef0f2;--bad:#b3261e;
--stripe:rgba(255,255,255,.34);--stripe-free:rgba(0,0,0,.07)}
@media (prefers-color-scheme:dark){:root{--bg:#14171b;--panel:#1c2026;--ink:#e8eaed;--soft:#a3abb5;--line:#333a43;
--accent:#7db4ff;--fixed:#6f93c4;--notes:#d99b4e;--history:#4cb58d;--evidence:#bd7fd6;--free:#262c34;
--bad:#ff8a80;--stripe:rgba(0,0,0,.30);--stripe-free:rgba(255,255,255,.06)}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:70rem;margin:0 auto;padding:1.5rem 1.25rem 3rem}
h1{font-size:1.35rem;margin:0 0 .25rem}h2{font-size:1.05rem;margin:0 0 .75rem}
section{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:1rem 1.15rem;margin:1rem 0}
section>:last-child{margin-bottom:0}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:4px}
.soft{color:var(--soft)}.small{font-size:.86rem}.bad{color:var(--bad);font-weight:600}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.2rem,1fr));gap:.75rem;margin:1rem 0 0}
.card{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:.7rem .9rem}
.card b{display:block;font-size:1.3rem;font-variant-numeric:tabular-nums}
.bar{display:flex;height:3.4rem;border-radius:8px;overflow:hidden;border:1px solid var(--line);background:var(--free)}
.bar span{min-width:2px;overflow:hidden;display:flex;align-items:center;justify-content:center;border-inline-end:1px solid
var(--panel)}
.bar em{font-style:normal;font-size:.78rem;padding:.1rem .4rem;border-radius:5px;background:var(--panel);color:var(--ink);
white-space:nowrap}
.fixed{background-color:var(--fixed)}
.notes{background-color:var(--notes);background-image:radial-gradient(var(--stripe) 1.6px,transparent 2px);
background-size:8px 8px}
.history{background-color:var(--history);background-image:repeating-linear-gradient(45deg,transparent 0 5px,var(--stripe)
5px 7px)}
.evidence{background-color:var(--evidence);background-image:repeating-linear-gradient(-45deg,transparent 0 5px,var(--stripe)
5px 7px),repeating-linear-gradient(45deg,transparent 0 5px,var(--stripe) 5px 7px)}
.free{background-color:var(--free);background-image:repeating-linear-gradient(90deg,transparent 0 9px,var(--stripe-free) 9px
10px)}
.key{display:inline-block;width:1.5rem;height:1rem;border-radius:3px;border:1px solid var(--line);vertical-align:-.15rem;
margin-inline-end:.5rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:start;padding:.3rem .7rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600;color:var(--soft);font-size:.84rem}td.n,th.n{text-align:end;white-space:nowrap;padding-inline-start:.6rem}
td.n+td:not(.n),th.n+th:not(.n){padding-inline-start:.8rem}
td:first-child:not(.id){white-space:nowrap}.bar+.scroll{margin-top:.6rem}
td.id{max-width:17rem;overflow-wrap:anywhere}td.why{min-width:12rem;overflow-wrap:anywhere}
code{font:.84rem ui-monospace,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
details{margin:.5rem 0}summary{cursor:pointer;font-weight:600;padding:.2rem 0}
.rows{content-visibility:auto;contain-intrinsic-size:auto 30rem}
.plot{display:grid;grid-template-columns:auto minmax(0,1fr);gap:.25rem .5rem;margin-top:1.6rem;font-size:.78rem;color:var(--soft);
font-variant-numeric:tabular-nums}
.plot .y{display:flex;flex-direction:column;justify-content:space-between;text-align:end;white-space:nowrap;margin-block:-.6em}
.plot .x{grid-column:2;display:flex;justify-content:space-between}
.chart{display:flex;align-items:flex-end;height:11rem;gap:2px;position:relative;border-bottom:1px solid var(--soft);
border-inline-start:1px solid var(--soft);padding-inline-start:2px;overflow:visible}
.col{flex:1 1 0;min-width:1px;max-width:3rem;height:100%;display:flex;flex-direction:column;justify-content:flex-end}
.col span{display:block;min-height:0}
.col{position:relative}.col.cut::before{content:"▼";position:absolute;top:-1.05rem;inset-inline:0;text-align:center;
font-size:.7rem;color:var(--ink)}
.mark{font-size:.7rem}.sentence{font-size:1.15rem;margin:.5rem 0 .25rem}
.addresses dt{font-weight:600;margin-top:.5rem}.addresses dd{margin:0}.addresses code{font-size:1rem}
.limit{position:absolute;inset-inline:0;border-top:2px dashed var(--bad);pointer-events:none}
.dashes{display:inline-block;width:2.4rem;border-top:2px dashed var(--bad);vertical-align:middle;margin-inline-end:.4rem}
.lines{width:100%;height:11rem;display:block;overflow:visible}
.lines .all{stroke:var(--soft);stroke-dasharray:7 5}.lines .sent{stroke:var(--accent)}.lines .cache{stroke:var(--history);
stroke-dasharray:2 4}
.lines polyline{fill:none;stroke-width:2.5;vector-effect:non-scaling-stroke}
.lines .axis,.lines .grid{stroke:var(--soft);stroke-width:1;vector-effect:non-scaling-stroke}
.lines .grid{stroke:var(--line);stroke-dasharray:3 4}
.legend{display:flex;flex-wrap:wrap;gap:.4rem 1.4rem;margin:.6rem 0 0;padding:0;list-style:none;font-size:.86rem}
.legend svg{display:inline-block;width:2.4rem;height:.7rem;vertical-align:middle;margin-inline-end:.4rem}
.chip{display:inline-block;border:1px solid var(--line);border-radius:999px;padding:0 .55rem;font-size:.8rem;
white-space:nowrap}
@media (max-width:40rem){main{padding:1rem .75rem 2rem}
table.stack thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
table.stack,table.stack tbody{display:block}table.stack tr{display:block;padding:.45rem 0;border-bottom:1px solid var(--line)}
table.stack td,table.stack td.n,table.stack td.id,table.stack td.n+td:not(.n){display:flex;justify-content:space-between;
align-items:baseline;gap:1rem;border:0;padding:.12rem 0;max-width:none;min-width:0;text-align:end;white-space:normal;overflow-wrap:anywhere}
table.stack td::before{content:attr(data-l);color:var(--soft);font-size:.84rem;white-space:nowrap}
table.stack td:empty,table.stack tr.none{display:none}table.stack td:first-child{text-align:start;font-weight:600}
table.stack td:first-child::before{display:none}
table.stack td[colspan]{white-space:normal;font-weight:400}.addresses code{font-size:.78rem}}
@media print{section{break-inside:avoid}body{background:#fff}}
)css";

}  // namespace ctxpack::view
