from base64 import b64decode

from played import key, model, pixel, play, question, read_keystone, turns, url, use_tool
from strands import Agent, tool
from strands.models.anthropic import AnthropicModel


def agent(thinks=False, **more):
    params = {"thinking": {"type": "adaptive"}} if thinks else {}
    client = {"base_url": url, "api_key": key}
    claude = AnthropicModel(client_args=client, model_id=model, max_tokens=4_000, params=params)
    return Agent(model=claude, callback_handler=None, **more)


def stream():
    return str(agent()(question))


def tools():
    return str(agent(tools=[tool(read_keystone)])(use_tool))


def thinking():
    return str(agent(thinks=True)(question))


def image():
    picture = {"image": {"format": "png", "source": {"bytes": b64decode(pixel)}}}
    return str(agent()([{"text": question}, picture]))


def conversation():
    mason = agent(thinks=True)
    return [str(mason(turn)) for turn in turns][-1]


play(stream=stream, tools=tools, thinking=thinking, image=image, conversation=conversation)
