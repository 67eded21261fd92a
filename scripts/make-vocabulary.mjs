// Turns a .tiktoken file (base64 token and rank on each line) into the compact form that the library embeds: every
// token above the 256 bytes as the two tokens that it is merged from. The form is described in data/README.md.
//
//     node make-vocabulary.mjs INPUT.tiktoken OUTPUT.pairs
import { readFileSync, writeFileSync } from 'node:fs';

const [input, output] = process.argv.slice(2);
const ranks = new Map();
for (const line of readFileSync(input, 'latin1').split('\n')) {
  if (!line) continue;
  const [token, rank] = line.split(' ');
  ranks.set(Buffer.from(token, 'base64').toString('latin1'), Number(rank));
}

const tokens = new Array(ranks.size);
for (const [token, rank] of ranks) tokens[rank] = token;
if (tokens.includes(undefined)) throw new Error('the ranks have gaps');

// The last merge of a token: byte pair encoding of its text with the ranks below its own leaves two parts.
function lastMerge(token, limit) {
  const parts = [...token];
  while (parts.length > 2) {
    let best = limit;
    let at = -1;
    for (let i = 0; i + 1 < parts.length; ++i) {
      const rank = ranks.get(parts[i] + parts[i + 1]);
      if (rank !== undefined && rank < best) [best, at] = [rank, i];
    }
    if (at < 0) throw new Error(`token ${limit} cannot be reached by merges`);
    parts.splice(at, 2, parts[at] + parts[at + 1]);
  }
  return parts.map((part) => ranks.get(part));
}

const bits = Math.ceil(Math.log2(tokens.length));
const header = Buffer.alloc(8 + 256);
header.writeUInt32LE(tokens.length, 0);
header.writeUInt32LE(bits, 4);
tokens.slice(0, 256).forEach((token, rank) => {
  if (token.length !== 1) throw new Error('the first 256 tokens are not the bytes');
  header[8 + rank] = token.charCodeAt(0);
});

const body = Buffer.alloc(Math.ceil(((tokens.length - 256) * 2 * bits) / 64) * 8);
let position = 0;
for (let rank = 256; rank < tokens.length; ++rank) {
  for (const part of lastMerge(tokens[rank], rank)) {
    for (let bit = 0; bit < bits; ++bit, ++position) {
      if ((part >> bit) & 1) body[position >> 3] |= 1 << (position & 7);
    }
  }
}
writeFileSync(output, Buffer.concat([header, body]));
