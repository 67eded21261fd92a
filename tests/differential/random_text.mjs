// Random mixes made to be difficult for whatever splits text into tokens.

// A small generator with a fixed seed (Marsaglia, xorshift), so that a difference can be found again.
let state = 0x2545f491;
function random(limit) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % limit;
}
const pick = (list) => list[random(list.length)];
const times = (n, make) => Array.from({ length: n }, make).join('');
const codePoint = (first, last) => String.fromCodePoint(first + random(last - first + 1));
const flipCase = (text) => [...text].map((c) => (random(2) ? c.toUpperCase() : c.toLowerCase())).join('');

const contractions = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'\u017f", "'l", "'r", "'v", "'"];
const spaces = [' ', '  ', '\t', '\v', '\f', '\x1c', '\u0085', '\u00a0', '\u1680', '\u180e', '\u2000', '\u200a', '\u200b',
  '\u2028', '\u2029', '\u202f', '\u205f', '\u3000', '\ufeff'];
const lineEnds = ['\n', '\r', '\r\n', '\n\n', '\n \n', '\r\r\n', ' \n', '\n\t'];
const words = ['the', 'Context', 'window', 'HTTP', 'getValue', 'naïve', 'straße', 'ǅungla', 'ΣΟΦΙΑ', 'привет', 'İstanbul', 'ﬁn',
  'ʻokina', 'नमस्ते', 'שלום', 'مرحبا', 'ไทย', '漢字', 'カタカナ', '한국어', 'K\u212a'];
const kinds = [
  () => pick(words) + flipCase(pick(contractions)) + times(random(3), () => pick(words)),
  () => times(1 + random(4), () => pick(spaces)),
  () => times(1 + random(4), () => pick(lineEnds)),
  () => times(1 + random(6), () => pick(['0', '7', '9', '\u0661', '\u0967', '\u2167', '\u00bd', '\u2460', '\u3007', '\u{1d7d8}'])),
  () => times(1 + random(4), () => pick(['!', '/', '//', '...', '_', '-', '{', '"', '\\', '|', '#', '\0', '\x7f', '€', '→'])),
  () => times(1 + random(3), () => pick(['\u01c5', '\u01f2', '\u02b0', '\u0345', '\u0301', '\u20dd', '\u0903', '\u1f88'])),
  () => times(1 + random(3), () => pick(['👩‍👩‍👧', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '❤️', '🇨🇭', '1️⃣'])),
  () => times(1 + random(5), () => flipCase(pick(words))),
  () => times(1 + random(8), () => codePoint(0x4e00, 0x9fff)),
  () => times(1 + random(4), () => codePoint(0x20, 0x2fff)),
  () => times(1 + random(4), () => codePoint(0xa000, 0xd7ff)),
  () => times(1 + random(4), () => codePoint(0x10000, 0x1ffff)),
  () => times(1 + random(40), () => codePoint(0x61, 0x7a)),
  () => codePoint(0x20, 0x7e).repeat(1 + random(300)),
  () => times(1 + random(6), () => pick(['|', '-', '=', '*', '#', '+', '/', '.', '_', '~', ';', ':--', '\n']).repeat(1 + random(90))),
  () => pick(['<|endoftext|>', '<|im_start|>', '<|fim_prefix|>', '<|endofprompt|>']),
];

export function randomText(bytes) {
  let text = '';
  while (text.length < bytes) text += pick(kinds)();
  return text.toWellFormed?.() ?? text;
}
