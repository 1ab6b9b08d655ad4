from base64 import b64decode

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.media import Image
from agno.models.anthropic import Claude
from played import key, long_text, model, pixel, play, question, read_keystone, turns, url, use_tool


def agent(claude=None, **more):
    client = {"base_url": url}
    return Agent(model=Claude(id=model, api_key=key, client_params=client, **(claude or {})), telemetry=False, **more)


adaptive = {"thinking": {"type": "adaptive"}}


def answer():
    return agent().run(question).content


def stream():
    return "".join(event.content or "" for event in agent().run(question, stream=True) if hasattr(event, "content"))


def tools():
    return agent(tools=[read_keystone]).run(use_tool).content


def thinking():
    return agent(adaptive).run(question).content


def image():
    return agent().run(question, images=[Image(content=b64decode(pixel), format="png")]).content


def cache():
    mason = agent({"cache_system_prompt": True}, instructions=long_text)
    return [mason.run(question).content for _ in range(2)][-1]


def conversation():
    mason = agent(adaptive, db=InMemoryDb(), add_history_to_context=True, num_history_runs=9)
    return [mason.run(turn, session_id="one").content for turn in turns][-1]


play(answer=answer, stream=stream, tools=tools, thinking=thinking, image=image, cache=cache, conversation=conversation)
