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

// Shortest prefix that each provider's prompt cache takes, from their prompt-caching guides.
function minCachedPrefix(provider, name) {
  if (provider === 'anthropic') {
    if (/opus-5/.test(name)) return 512;
    if (/haiku-4-5|opus-4-[567]/.test(name)) return 4096;
    return /haiku/.test(name) ? 2048 : 1024;
  }
  if (provider === 'google') return /pro/.test(name) ? 4096 : 1024;
  return 1024;
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
  out.input_usd_per_million = model.inputPrice;
  out.output_usd_per_million = model.outputPrice;
  const caches = capabilities.supportsPromptCaching || capabilities.supportsAutoPromptCaching;
  if (!caches || capabilities.cacheDiscountFactor >= 1) return out;
  out.cached_input_usd_per_million = round(model.inputPrice * capabilities.cacheDiscountFactor);
  const write = cacheWriteFactor(provider, name);
  if (write !== 1) out.cache_write_usd_per_million = round(model.inputPrice * write);
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
