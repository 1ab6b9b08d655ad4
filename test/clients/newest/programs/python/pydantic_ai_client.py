import base64

from played import key, long_text, model, pixel, play, question, read_keystone, turns, url, use_tool
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

claude = AnthropicModel(model, provider=AnthropicProvider(api_key=key, base_url=url))
adaptive = {"anthropic_thinking": {"type": "adaptive"}}


def answer():
    return Agent(claude).run_sync(question).output


async def stream():
    async with Agent(claude).run_stream(question) as result:
        return await result.get_output()


def tools():
    return Agent(claude, tools=[read_keystone]).run_sync(use_tool).output


def thinking():
    return Agent(claude, model_settings=adaptive).run_sync(question).output


def image():
    picture = BinaryContent(base64.b64decode(pixel), media_type="image/png")
    return Agent(claude).run_sync([question, picture]).output


def cache():
    agent = Agent(claude, instructions=long_text, model_settings={"anthropic_cache_instructions": True})
    return [agent.run_sync(question).output for _ in range(2)][-1]


def conversation():
    agent, history = Agent(claude, model_settings=adaptive), []
    for turn in turns:
        result = agent.run_sync(turn, message_history=history)
        history = result.all_messages()
    return result.output


play(answer=answer, stream=stream, tools=tools, thinking=thinking, image=image, cache=cache, conversation=conversation)
