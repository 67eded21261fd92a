// Token ids of `ctxpack tokens` against npm tiktoken: on random mixes made to be difficult, and on the files given.
//
//     node tokens.mjs CTXPACK [--kilobytes N] [FILE...]      (beside node_modules/tiktoken; exit code 1 on a difference)
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomText } from './random_text.mjs';

const { get_encoding: getEncoding } = createRequire(join(process.cwd(), 'x.js'))('tiktoken');

function difference(ctxpack, encoding, file, text, name) {
  const found = execFileSync(ctxpack, ['tokens', file, '--encoding', name], { maxBuffer: 1 << 30, encoding: 'latin1' })
    .trim().split(' ').filter(Boolean).map(Number);
  const expected = encoding.encode(text, [], []);
  const at = Array.from({ length: Math.max(found.length, expected.length) }).findIndex((_, i) => found[i] !== expected[i]);
  if (at < 0) return null;
  const before = new TextDecoder().decode(encoding.decode(expected.slice(Math.max(0, at - 8), at)));
  return `token ${at}, after ${JSON.stringify(before)}: ${found.slice(at, at + 6)} instead of ${expected.slice(at, at + 6)}`;
}

const [ctxpack, ...rest] = process.argv.slice(2);
const sized = rest[0] === '--kilobytes';
const kilobytes = sized ? Number(rest[1]) : 256;
const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
let bytes = 0;
let differences = 0;
try {
  for (const name of ['o200k_base', 'cl100k_base']) {
    const encoding = getEncoding(name);
    const compare = (file, text, label) => {
      bytes += Buffer.byteLength(text);
      const different = difference(ctxpack, encoding, file, text, name);
      if (different === null) return;
      ++differences;
      console.log(`${name}, ${label}: ${different}`);
    };
    for (let left = kilobytes; left > 0; left -= 32) {
      const file = join(folder, 'text');
      const text = randomText(32 * 1024);
      writeFileSync(file, text);
      compare(file, text, `random text ${left}`);
    }
    for (const file of rest.slice(sized ? 2 : 0)) compare(file, new TextDecoder('utf-8', { ignoreBOM: true }).decode(readFileSync(file)), file);
    encoding.free();
  }
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`${differences === 0 ? 1 : 0} passed, ${differences} failed (${(bytes / 1e6).toFixed(1)} MB compared)`);
process.exit(differences === 0 ? 0 : 1);
