from played import key, model, play, question, read_keystone, url, use_tool
from smolagents import LiteLLMModel, ToolCallingAgent, tool

claude = LiteLLMModel(model_id=f"anthropic/{model}", api_base=url, api_key=key)
messages = [{"role": "user", "content": [{"type": "text", "text": question}]}]


def answer():
    return claude.generate(messages).content


def stream():
    return "".join(part.content or "" for part in claude.generate_stream(messages))


def tools():
    agent = ToolCallingAgent(tools=[tool(read_keystone)], model=claude, max_steps=2)
    agent.run(use_tool)
    return [step.observations for step in agent.memory.steps[1:]]


play(answer=answer, stream=stream, tools=tools)
