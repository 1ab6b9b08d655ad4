from agent_framework import Agent
from agent_framework.anthropic import AnthropicClient
from anthropic import AsyncAnthropic
from played import key, model, play, question, read_keystone, turns, url, use_tool


def agent(**more):
    client = AnthropicClient(model=model, anthropic_client=AsyncAnthropic(base_url=url, api_key=key))
    return Agent(client=client, **more)


async def answer():
    return (await agent().run(question)).text


async def stream():
    return "".join([part.text async for part in agent().run(question, stream=True)])


async def tools():
    return (await agent(tools=[read_keystone]).run(use_tool)).text


async def conversation():
    mason = agent()
    session = mason.create_session()
    for turn in turns:
        result = await mason.run(turn, session=session)
    return result.text


play(answer=answer, stream=stream, tools=tools, conversation=conversation)
