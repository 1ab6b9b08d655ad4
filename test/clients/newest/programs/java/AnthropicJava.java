// Plays a scenario with the vendor's library for Java.
import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.JsonValue;
import com.anthropic.helpers.MessageAccumulator;
import com.anthropic.models.messages.*;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

public class AnthropicJava {
  static final String PIXEL =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  static final String QUESTION = "What is an arch?";
  static final int NO_SUCH_FEATURE = 64;
  static final AnthropicClient client =
      AnthropicOkHttpClient.builder().baseUrl(System.getenv("ARCHWAY_URL")).apiKey(System.getenv("ARCHWAY_KEY")).build();

  static MessageCreateParams.Builder asked() {
    return MessageCreateParams.builder().model(System.getenv("ARCHWAY_MODEL")).maxTokens(4000);
  }

  static String text(Message message) {
    return message.content().stream().flatMap(block -> block.text().stream()).map(TextBlock::text).collect(Collectors.joining());
  }

  static String create(MessageCreateParams.Builder params) {
    return text(client.messages().create(params.build()));
  }

  static String stream(MessageCreateParams.Builder params) {
    var accumulator = MessageAccumulator.create();
    try (var events = client.messages().createStreaming(params.build())) {
      events.stream().forEach(accumulator::accumulate);
    }
    return text(accumulator.message());
  }

  static String tools() {
    var schema = Tool.InputSchema.builder().properties(JsonValue.from(Map.of("side", Map.of("type", "string")))).build();
    var params = asked().addTool(Tool.builder().name("read_keystone").inputSchema(schema).build()).addUserMessage("Use read_keystone.");
    var message = client.messages().create(params.build());
    var results = message.content().stream().flatMap(block -> block.toolUse().stream())
        .map(use -> ContentBlockParam.ofToolResult(
            ToolResultBlockParam.builder().toolUseId(use.id()).content("seventeen keystones").build()))
        .toList();
    return create(params.addMessage(message).addUserMessageOfContentBlockParams(results));
  }

  static String image() {
    var source = Base64ImageSource.builder().data(PIXEL).mediaType(Base64ImageSource.MediaType.IMAGE_PNG).build();
    var blocks = List.of(
        ContentBlockParam.ofImage(ImageBlockParam.builder().source(source).build()),
        ContentBlockParam.ofText(TextBlockParam.builder().text(QUESTION).build()));
    return stream(asked().addUserMessageOfContentBlockParams(blocks));
  }

  static String cache() {
    var block = TextBlockParam.builder().text("A long text about arches. ".repeat(1000))
        .cacheControl(CacheControlEphemeral.builder().build()).build();
    var params = asked().systemOfTextBlockParams(List.of(block)).addUserMessage(QUESTION);
    stream(params);
    return stream(params);
  }

  static String conversation() {
    var params = asked().thinking(ThinkingConfigAdaptive.builder().build());
    var said = "";
    for (int turn = 1; turn <= 8; turn++) {
      var message = client.messages().create(params.addUserMessage("What is arch number " + turn + "?").build());
      params.addMessage(message);
      said = text(message);
    }
    return said;
  }

  public static void main(String[] arguments) {
    Map<String, Supplier<String>> scenarios = Map.of(
        "answer", () -> create(asked().addUserMessage(QUESTION)),
        "stream", () -> stream(asked().addUserMessage(QUESTION)),
        "tools", AnthropicJava::tools,
        "thinking", () -> stream(asked().thinking(ThinkingConfigAdaptive.builder().build()).addUserMessage(QUESTION)),
        "image", AnthropicJava::image,
        "cache", AnthropicJava::cache,
        "conversation", AnthropicJava::conversation);
    var scenario = scenarios.get(arguments[0]);
    if (scenario == null) System.exit(NO_SUCH_FEATURE);
    System.out.println(scenario.get());
    System.exit(0);
  }
}
