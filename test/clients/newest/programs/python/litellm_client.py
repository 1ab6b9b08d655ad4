import json

from litellm import completion
from played import key, long_text, model, pixel, play, question, read_keystone, turns, url, use_tool


def ask(messages, **more):
    return completion(model=f"anthropic/{model}", api_base=url, api_key=key, messages=messages, max_tokens=4_000, **more)


def said(content, **more):
    return ask([{"role": "user", "content": content}], **more).choices[0].message.content


def answer():
    return said(question)


def stream():
    chunks = ask([{"role": "user", "content": question}], stream=True)
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)


def tools():
    schema = {"type": "object", "properties": {"side": {"type": "string"}}, "required": ["side"]}
    function = {"name": "read_keystone", "description": read_keystone.__doc__, "parameters": schema}
    offered = [{"type": "function", "function": function}]
    messages = [{"role": "user", "content": use_tool}]
    message = ask(messages, tools=offered).choices[0].message
    messages.append(message)
    for call in message.tool_calls:
        result = read_keystone(**json.loads(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    return ask(messages, tools=offered).choices[0].message.content


def thinking():
    return said(question, reasoning_effort="medium")


def image():
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{pixel}"}}
    return said([{"type": "text", "text": question}, picture])


def cache():
    system = {"role": "system", "content": [{"type": "text", "text": long_text, "cache_control": {"type": "ephemeral"}}]}
    messages = [system, {"role": "user", "content": question}]
    return [ask(messages).choices[0].message.content for _ in range(2)][-1]


def conversation():
    messages = []
    for turn in turns:
        messages.append({"role": "user", "content": turn})
        messages.append(ask(messages, reasoning_effort="medium").choices[0].message)
    return messages[-1].content


play(answer=answer, stream=stream, tools=tools, thinking=thinking, image=image, cache=cache, conversation=conversation)
