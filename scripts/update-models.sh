#!/bin/sh
# Writes data/models.json, the catalogue snapshot that is compiled in. Needs node and npm; run it now and then, look at
# the difference, and commit the file. Source: the npm package llm-zoo (MIT), by maintainers who follow the providers'
# price pages, and the few entries below that it does not have.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm pack --silent "llm-zoo${1:+@$1}" > /dev/null
tar xzf llm-zoo-*.tgz
cat > convert.mjs <<'EOF'
import { readFileSync, writeFileSync } from 'node:fs';
import { MODEL_CONFIGS } from './package/dist/index.js';

const version = JSON.parse(readFileSync('package/package.json')).version;

// Models that the package does not list, from the price pages of their provider.
const additions = {
  'gpt-4': { provider: 'openai', window: 8192, output: 8192, price: [30, 60] },
  'gpt-3.5-turbo': { provider: 'openai', window: 16385, output: 4096, price: [0.5, 1.5] },
  'gpt-35-turbo': { provider: 'openai', window: 16385, output: 4096, price: [0.5, 1.5] },
  'text-embedding-3-small': { provider: 'openai', window: 8191, output: 0, price: [0.02, 0] },
  'text-embedding-3-large': { provider: 'openai', window: 8191, output: 0, price: [0.13, 0] },
  'text-embedding-ada-002': { provider: 'openai', window: 8191, output: 0, price: [0.1, 0] },
};

// Shortest prefix that each provider's prompt cache takes.
// Anthropic: platform.claude.com/docs/en/build-with-claude/prompt-caching, "Minimum cacheable prompt length", 2026-10-08.
// Google: ai.google.dev/gemini-api/docs/caching, 2026-10-23. Models of Gemini 3 that its table leaves out have the figure of
// the others; Gemini 3 Flash has that of the table of 2026-05-07, the last that names it.
// OpenAI: developers.openai.com/api/docs/guides/prompt-caching, 2026-06.
function minCachedPrefix(provider, name) {
  if (provider === 'anthropic') {
    if (/(opus|fable|mythos)-5|(sonnet|haiku)-5-5/.test(name)) return 512;
    if (/haiku-4-5|opus-4-[56]/.test(name)) return 4096;
    return /haiku-3|3-haiku|3-5-haiku|opus-4-7|mythos-preview/.test(name) ? 2048 : 1024;
  }
  if (provider === 'google') return /gemini-2/.test(name) ? 2048 : /gemini-3-flash/.test(name) ? 1024 : 4096;
  return 1024;
}

// Prices that the package has otherwise than ai.google.dev/gemini-api/docs/pricing (2026-07-04): Gemini's cache costs a tenth of
// input since 2.5.
const corrections = { 'gemini-3-flash-preview': [0.5, 3] };
function cacheFactor(model) {
  return model.provider === 'google' ? 0.1 : model.capabilities.cacheDiscountFactor;
}

// Price of writing to the cache, relative to input.
function cacheWriteFactor(provider, name) {
  return provider === 'anthropic' || /^gpt-(5\.[6-9]|[6-9])/.test(name) ? 1.25 : 1;
}

const round = (value) => Number(value.toPrecision(6));

function entry(model) {
  const { provider, shortName: name, capabilities } = model;
  const out = { provider, context_window_tokens: model.contextWindow, max_output_tokens: model.maxOutputTokens };
  if (model.kimiSubscription) return out;
  const [input, output] = corrections[name] ?? [model.inputPrice, model.outputPrice];
  out.input_usd_per_million = input;
  out.output_usd_per_million = output;
  const caches = capabilities.supportsPromptCaching || capabilities.supportsAutoPromptCaching;
  if (!caches || capabilities.cacheDiscountFactor >= 1) return out;
  out.cached_input_usd_per_million = round(input * cacheFactor(model));
  const write = cacheWriteFactor(provider, name);
  if (write !== 1) out.cache_write_usd_per_million = round(input * write);
  out.min_cached_prefix_tokens = minCachedPrefix(provider, name);
  return out;
}

// Of several entries for one API name, the one served now, at the standard tier, not a named variant of another.
const rank = (model) => (model.retired ? 4 : 0) + (model.serviceTier ? 2 : 0) + (/T$/.test(model.name) ? 1 : 0);
const models = {};
const listed = Object.values(MODEL_CONFIGS).filter((model) => model.provider !== 'copilot');
for (const model of listed.sort((a, b) => rank(a) - rank(b))) models[model.shortName] ??= entry(model);
for (const [name, { provider, window, output, price }] of Object.entries(additions)) {
  models[name] ??= { provider, context_window_tokens: window, max_output_tokens: output,
    input_usd_per_million: price[0], output_usd_per_million: price[1] };
}

const lines = Object.keys(models).sort().map((name) => `    ${JSON.stringify(name)}: ${JSON.stringify(models[name])}`);
const date = new Date().toISOString().slice(0, 10);
writeFileSync('models.json', `{
  "as_of": "${date}",
  "source": "llm-zoo ${version} (MIT) and scripts/update-models.sh",
  "models": {
${lines.join(',\n')}
  }
}
`);
EOF
node convert.mjs
mv models.json "$root/data/models.json"
echo "data/models.json: $(grep -c '"provider"' "$root/data/models.json") models"
