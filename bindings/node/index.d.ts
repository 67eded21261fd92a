/** Types of ctxmgr. docs/c-interface.md has the fields of requests and results. */

export type Json = null | boolean | number | string | Json[] | { [field: string]: Json };
export interface Message {
  role: string;
  content?: unknown;
  [field: string]: unknown;
}

export interface ManagerOptions {
  store?: string;
  catalog?: object;
  analysis_cache_bytes?: number;
  summary_ttl_ms?: number;
}

export interface BuildOptions {
  form?: 'openai' | 'anthropic' | 'responses';
  max_input_tokens?: number;
  context_window_tokens?: number;
  reserved_output_tokens?: number;
  thread_state?: string;
  session?: string;
  scope?: string;
  calibration?: number;
  tools_budget?: number;
  pinned_tools?: string[];
  shape?: string;
  compact_now?: boolean;
  tells_room?: boolean;
  query?: string;
  planner?: 'automatic' | 'llm' | 'llm_or_fail' | 'deterministic' | 'none';
  context_planner?: string;
  summarizer?: string;
  check_summaries?: boolean;
  max_llm_calls?: number;
  deadline_ms?: number;
  cache_control?: boolean;
  history?: object;
  tool_rules?: object[];
  summary_instructions?: { text?: string; sections?: string[]; language?: string };
}

export interface Built<Body = Record<string, any>> {
  body: Body;
  metadata: Record<string, any>;
  thread_state: string;
}

export interface Planned {
  plan: Record<string, any>;
  metadata: Record<string, any>;
  would_use_llm: boolean;
  gate_reason: string;
  expected_llm_calls: number;
  expected_cost_usd: number;
  tokens_saved: number;
}

/** A chat request in, a chat completion out. A rejection is a failed call. */
export type Complete = (request: Record<string, any>) => Promise<object>;

/** `code` is the name of the error's kind; docs/errors.md says what to do. */
export class ContextError extends Error {
  code: string;
  constructor(code: string, message: string);
}

export class Manager {
  constructor(options?: ManagerOptions);
  close(): void;
  build<Body extends object>(body: Body, options?: BuildOptions): Built<Body>;
  plan(body: object, options?: BuildOptions): Planned;
  prepareCompaction(body: object, options: BuildOptions, complete: Complete): Promise<{ calls: number }>;
  thread(model?: string, options?: BuildOptions): Thread;
  count(text: string, model?: string): number;
  tools(session: string, form?: string): Record<string, any>[];
  callTool(session: string, name: string, args: unknown, id?: string, agent?: string): Message;
}

export class Thread {
  private constructor();
  /** Goes on in another process, as `thread_state`. */
  readonly state: string;
  close(): void;
  build(messages: readonly Message[], body?: object, options?: BuildOptions): Built;
  prepareCompaction(complete: Complete, body?: object, options?: BuildOptions): Promise<{ calls: number }>;
}

/** For the system prompt: when and how a model uses the tools of `Manager.tools()`. */
export function toolInstructions(): string;
/** A receipt as a table for people: the `metadata` of a result. */
export function explain(metadata: object): string;
export function version(): string;
