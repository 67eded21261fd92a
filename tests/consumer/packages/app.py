from ctxmgr import Manager

with Manager() as manager:
    messages = [{"role": "user", "content": f"Note {i}: nothing of interest."} for i in range(200)]
    messages.append({"role": "user", "content": "What was note 3?"})
    built = manager.build({"model": "gpt-4o", "messages": messages}, max_input_tokens=300)
    assert built["metadata"]["input_tokens_used"] <= 300, built["metadata"]
