// Throughput of bpe_token_counter_bench beside npm tiktoken and gpt-tokenizer, in one session, interleaved.
//
//     npm install tiktoken@1.0.22 gpt-tokenizer@4.0.0     (in any folder; run this there)
//     node compare_token_counters.mjs BPE_TOKEN_COUNTER_BENCH ROUNDS FILE...
//
// Processor time of one thread, best of the rounds, MB/s. npm tiktoken gets the first megabyte of each file only.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

const require = createRequire(join(process.cwd(), 'x.js'));
const [bench, rounds, ...files] = process.argv.slice(2);

function megabytesPerSecond(text, count) {
  const start = process.cpuUsage();
  count(text);
  const { user, system } = process.cpuUsage(start);
  return Buffer.byteLength(text) / (user + system);
}

const best = new Map();
const note = (key, value) => best.set(key, Math.max(best.get(key) ?? 0, value));
for (let round = 0; round < Number(rounds); ++round) {
  for (const encoding of ['o200k_base', 'cl100k_base']) {
    const tiktoken = require('tiktoken').get_encoding(encoding);
    const { countTokens } = require(`gpt-tokenizer/encoding/${encoding}`);
    for (const file of files) {
      const text = new TextDecoder().decode(readFileSync(file).subarray(0, 1_000_000));
      const key = `${encoding} ${basename(file)}`;
      note(`${key} tiktoken`, megabytesPerSecond(text, (t) => tiktoken.encode(t, [], [])));
      note(`${key} gpt-tokenizer`, megabytesPerSecond(text, countTokens));
      const json = JSON.parse(execFileSync(bench, [file, '--benchmark_format=json',
        `--benchmark_filter=count/${basename(file)}/${encoding}`, '--benchmark_min_time=0.2'], { stdio: ['ignore', 'pipe', 'ignore'] }));
      note(`${key} first`, json.benchmarks[0]['first_MB/s']);
      note(`${key} steady`, json.benchmarks[0].bytes_per_second / 1e6);
    }
    tiktoken.free();
  }
}

console.log('| encoding, text | tiktoken | gpt-tokenizer | ctxmgr, first pass | × tiktoken | ctxmgr, steady | × tiktoken |');
console.log('|---|--:|--:|--:|--:|--:|--:|');
for (const encoding of ['o200k_base', 'cl100k_base']) {
  for (const file of files) {
    const key = `${encoding} ${basename(file)}`;
    const [tiktoken, gpt, first, steady] = ['tiktoken', 'gpt-tokenizer', 'first', 'steady'].map((which) => best.get(`${key} ${which}`));
    console.log(`| ${key} | ${tiktoken.toFixed(1)} | ${gpt.toFixed(1)} | ${first.toFixed(0)} | ${(first / tiktoken).toFixed(1)} `
      + `| ${steady.toFixed(0)} | ${(steady / tiktoken).toFixed(1)} |`);
  }
}
