from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from played import key, long_text, model, pixel, play, question, read_keystone, turns, url, use_tool


def claude(**more):
    return ChatAnthropic(model=model, base_url=url, api_key=key, max_tokens=4_000, **more)


def answer():
    return claude().invoke(question).text


def stream():
    return "".join(chunk.text for chunk in claude().stream(question))


def tools():
    agent = create_agent(claude(), tools=[tool(read_keystone)])
    return agent.invoke({"messages": [HumanMessage(use_tool)]})["messages"][-1].text


def thinking():
    return claude(thinking={"type": "adaptive"}).invoke(question).text


def image():
    picture = {"type": "image", "base64": pixel, "mime_type": "image/png"}
    return claude().invoke([HumanMessage([{"type": "text", "text": question}, picture])]).text


def cache():
    system = {"role": "system", "content": [{"type": "text", "text": long_text, "cache_control": {"type": "ephemeral"}}]}
    return [claude().invoke([system, HumanMessage(question)]).text for _ in range(2)][-1]


def conversation():
    messages = []
    for turn in turns:
        messages.append(HumanMessage(turn))
        messages.append(claude(thinking={"type": "adaptive"}).invoke(messages))
    return messages[-1].text


play(answer=answer, stream=stream, tools=tools, thinking=thinking, image=image, cache=cache, conversation=conversation)
