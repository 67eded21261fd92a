// Coding agents from npm, without a person: the command for what the user says first, and for what is said after that.
import fs from "node:fs";
import path from "node:path";

const bin = (name) => path.resolve("node_modules/.bin", name);

/// Each writes its settings below `home` and returns the command line and environment of a turn.
export const coding_agents = {
  codex: {
    package: "@openai/codex",
    prepare(url, home) {
      fs.mkdirSync(`${home}/.codex`, { recursive: true });
      fs.writeFileSync(`${home}/.codex/config.toml`, `model = "gpt-5"
model_provider = "proxy"
check_for_update_on_startup = false
[model_providers.proxy]
name = "proxy"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
`);
      return (words, isFirst) => ({
        command: [bin("codex"), "exec", ...(isFirst ? [] : ["resume", "--last"]), "--skip-git-repo-check",
                  "--dangerously-bypass-approvals-and-sandbox", words],
        environment: { OPENAI_API_KEY: "sk-agent", CODEX_HOME: `${home}/.codex` } });
    },
  },
  claude: {
    package: "@anthropic-ai/claude-code",
    prepare: (url, home) => (words, isFirst) => ({
      command: [bin("claude"), ...(isFirst ? [] : ["--continue"]), "--print", "--model", "claude-sonnet-4-6",
                "--permission-mode", "acceptEdits", "--allowedTools", "Read,Bash", "--", words],
      environment: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "sk-agent", CLAUDE_CONFIG_DIR: `${home}/.claude`, DISABLE_AUTOUPDATER: "1",
                     CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" } }),
  },
  qwen: {
    package: "@qwen-code/qwen-code",
    prepare: (url) => (words, isFirst) => ({
      command: [bin("qwen"), ...(isFirst ? [] : ["--continue"]), "--yolo", "--auth-type", "openai", "--openai-api-key", "sk-agent",
                "--openai-base-url", `${url}/v1`, "--model", "gpt-4o", words],
      environment: { QWEN_CODE_DISABLE_TELEMETRY: "1" } }),
  },
  opencode: {
    package: "opencode-ai",
    prepare(url, home, folder) {
      fs.writeFileSync(`${folder}/opencode.json`, JSON.stringify({
        $schema: "https://opencode.ai/config.json", autoupdate: false, share: "disabled", model: "proxy/gpt-4o", small_model: "proxy/gpt-4o",
        provider: { proxy: { npm: "@ai-sdk/openai-compatible", name: "proxy", options: { baseURL: `${url}/v1`, apiKey: "sk-agent" },
                             models: { "gpt-4o": { name: "gpt-4o", limit: { context: 1000000, output: 8000 } } } } } }));
      return (words, isFirst) => ({ 
        command: [bin("opencode"), "run", "--model", "proxy/gpt-4o", ...(isFirst ? [] : ["--continue"]), words],
        environment: { PWD: folder, OPENCODE_CONFIG: `${folder}/opencode.json`, OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1" } });
    },
  },
};
