// A fetch that fits each request into a budget, for the AI SDK and every other client that takes a fetch of the host's:
//
//   const provider = createOpenAICompatible({ name: 'x', baseURL, fetch: fittingFetch(manager, { max_input_tokens: 8000 }) });
//   const { text } = await generateText({ model: provider('gpt-5.6'), messages });
'use strict';

/** `options`: those of build(). Chat requests and Responses are fitted; everything else goes on as it is. */
function fittingFetch(manager, options, send = globalThis.fetch) {
  return async (url, init = {}) => {
    const body = typeof init.body === 'string' ? JSON.parse(init.body) : {};
    if (!body.messages && !body.input) return send(url, init);
    const built = manager.build(body, { form: body.messages ? 'openai' : 'responses', ...options });
    return send(url, { ...init, body: JSON.stringify(built.body) });
  };
}

module.exports = { fittingFetch };
