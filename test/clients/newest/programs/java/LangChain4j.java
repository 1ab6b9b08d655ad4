// Plays a scenario with LangChain4j.
import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.data.message.*;
import dev.langchain4j.memory.chat.MessageWindowChatMemory;
import dev.langchain4j.model.anthropic.*;
import dev.langchain4j.model.chat.response.*;
import dev.langchain4j.service.AiServices;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

public class LangChain4j {
  static final String PIXEL =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  static final String QUESTION = "What is an arch?";
  static final int NO_SUCH_FEATURE = 64;
  static final String URL = System.getenv("ARCHWAY_URL") + "/v1";

  interface Mason {
    String ask(String words);
  }

  static class Keystone {
    @Tool("Reads the keystone's inscription")
    String read_keystone(String side) {
      return "seventeen keystones";
    }
  }

  static AnthropicChatModel.AnthropicChatModelBuilder claude() {
    return AnthropicChatModel.builder().baseUrl(URL).apiKey(System.getenv("ARCHWAY_KEY")).modelName(System.getenv("ARCHWAY_MODEL")).maxTokens(4000);
  }

  static AiServices<Mason> mason(AnthropicChatModel model) {
    return AiServices.builder(Mason.class).chatModel(model).chatMemory(MessageWindowChatMemory.withMaxMessages(50));
  }

  static String stream() {
    var model = AnthropicStreamingChatModel.builder().baseUrl(URL).apiKey(System.getenv("ARCHWAY_KEY")).modelName(System.getenv("ARCHWAY_MODEL")).maxTokens(4000).build();
    var done = new CompletableFuture<String>();
    model.chat(QUESTION, new StreamingChatResponseHandler() {
      public void onPartialResponse(String part) {}

      public void onCompleteResponse(ChatResponse response) {
        done.complete(response.aiMessage().text());
      }

      public void onError(Throwable error) {
        done.completeExceptionally(error);
      }
    });
    return done.join();
  }

  static String image() {
    var content = UserMessage.from(TextContent.from(QUESTION), ImageContent.from(PIXEL, "image/png"));
    return claude().build().chat(content).aiMessage().text();
  }

  static String conversation() {
    var mason = mason(claude().thinkingType("adaptive").returnThinking(true).sendThinking(true).build()).build();
    var said = "";
    for (int turn = 1; turn <= 8; turn++) said = mason.ask("What is arch number " + turn + "?");
    return said;
  }

  static String cache() {
    var model = claude().cacheSystemMessages(true).build();
    var system = SystemMessage.from("A long text about arches. ".repeat(1000));
    model.chat(system, UserMessage.from(QUESTION));
    return model.chat(system, UserMessage.from(QUESTION)).aiMessage().text();
  }

  public static void main(String[] arguments) {
    Map<String, Supplier<String>> scenarios = Map.of(
        "answer", () -> claude().build().chat(QUESTION),
        "stream", LangChain4j::stream,
        "tools", () -> mason(claude().build()).tools(new Keystone()).build().ask("Use read_keystone."),
        "thinking", () -> claude().thinkingType("adaptive").returnThinking(true).build().chat(QUESTION),
        "image", LangChain4j::image,
        "cache", LangChain4j::cache,
        "conversation", LangChain4j::conversation);
    var scenario = scenarios.get(arguments[0]);
    if (scenario == null) System.exit(NO_SUCH_FEATURE);
    System.out.println(scenario.get());
    System.exit(0);
  }
}
