from agents import Agent, ModelSettings, Runner, function_tool, set_tracing_disabled
from agents.extensions.models.litellm_model import LitellmModel
from openai.types.shared import Reasoning
from played import key, model, pixel, play, question, read_keystone, turns, url, use_tool

set_tracing_disabled(True)


def agent(**more):
    claude = LitellmModel(model=f"anthropic/{model}", base_url=url, api_key=key)
    return Agent(name="Mason", model=claude, **more)


thinks = {"model_settings": ModelSettings(reasoning=Reasoning(effort="medium"), max_tokens=4_000)}


def answer():
    return Runner.run_sync(agent(), question).final_output


async def stream():
    result = Runner.run_streamed(agent(), question)
    async for _ in result.stream_events():
        pass
    return result.final_output


def tools():
    return Runner.run_sync(agent(tools=[function_tool(read_keystone)]), use_tool).final_output


def thinking():
    return Runner.run_sync(agent(**thinks), question).final_output


def image():
    picture = {"type": "input_image", "image_url": f"data:image/png;base64,{pixel}", "detail": "auto"}
    content = [{"type": "input_text", "text": question}, picture]
    return Runner.run_sync(agent(), [{"role": "user", "content": content}]).final_output


def conversation():
    items = []
    for turn in turns:
        result = Runner.run_sync(agent(**thinks), [*items, {"role": "user", "content": turn}])
        items = result.to_input_list()
    return result.final_output


play(answer=answer, stream=stream, tools=tools, thinking=thinking, image=image, conversation=conversation)
