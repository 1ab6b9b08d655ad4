from anthropic import Anthropic, beta_tool
from played import key, long_text, model, pixel, play, question, read_keystone, turns, url, use_tool

client = Anthropic(base_url=url, api_key=key)
limits = {"model": model, "max_tokens": 4_000}
asked = {**limits, "messages": [{"role": "user", "content": question}]}


def text(message):
    return "".join(block.text for block in message.content if block.type == "text")


def answer():
    return text(client.messages.create(**asked))


def stream(**more):
    with client.messages.stream(**{**asked, **more}) as events:
        return text(events.get_final_message())


def tools():
    messages = [{"role": "user", "content": use_tool}]
    runner = client.beta.messages.tool_runner(**limits, messages=messages, tools=[beta_tool(read_keystone)])
    return text(runner.until_done())


def thinking():
    return stream(thinking={"type": "adaptive"})


def image():
    source = {"type": "base64", "media_type": "image/png", "data": pixel}
    content = [{"type": "image", "source": source}, {"type": "text", "text": question}]
    return stream(messages=[{"role": "user", "content": content}])


def cache():
    system = [{"type": "text", "text": long_text, "cache_control": {"type": "ephemeral", "ttl": "1h"}}]
    return [stream(system=system) for _ in range(2)][-1]


def conversation():
    messages = []
    for turn in turns:
        messages.append({"role": "user", "content": turn})
        message = client.messages.create(**limits, messages=messages, thinking={"type": "adaptive"})
        messages.append({"role": "assistant", "content": message.content})
    return text(message)


play(answer=answer, stream=stream, tools=tools, thinking=thinking, image=image, cache=cache, conversation=conversation)
