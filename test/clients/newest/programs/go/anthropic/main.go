// Plays a scenario with the vendor's library for Go.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const question = "What is an arch?"
const noSuchFeature = 64

var client = anthropic.NewClient(option.WithBaseURL(os.Getenv("ARCHWAY_URL")), option.WithAPIKey(os.Getenv("ARCHWAY_KEY")))

func asked(blocks ...anthropic.ContentBlockParamUnion) anthropic.MessageNewParams {
	return anthropic.MessageNewParams{
		Model:     anthropic.Model(os.Getenv("ARCHWAY_MODEL")),
		MaxTokens: 4000,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(blocks...)},
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	return value
}

func text(message *anthropic.Message) string {
	var said strings.Builder
	for _, block := range message.Content {
		said.WriteString(block.Text)
	}
	return said.String()
}

func create(params anthropic.MessageNewParams) *anthropic.Message {
	return must(client.Messages.New(context.Background(), params))
}

func stream(params anthropic.MessageNewParams) string {
	events := client.Messages.NewStreaming(context.Background(), params)
	message := anthropic.Message{}
	for events.Next() {
		if err := message.Accumulate(events.Current()); err != nil {
			must(0, err)
		}
	}
	must(0, events.Err())
	return text(&message)
}

func tools() string {
	schema := anthropic.ToolInputSchemaParam{Properties: map[string]any{"side": map[string]any{"type": "string"}}}
	params := asked(anthropic.NewTextBlock("Use read_keystone."))
	params.Tools = []anthropic.ToolUnionParam{anthropic.ToolUnionParamOfTool(schema, "read_keystone")}
	message := create(params)
	results := []anthropic.ContentBlockParamUnion{}
	for _, block := range message.Content {
		if block.Type == "tool_use" {
			results = append(results, anthropic.NewToolResultBlock(block.ID, "seventeen keystones", false))
		}
	}
	params.Messages = append(params.Messages, message.ToParam(), anthropic.NewUserMessage(results...))
	return text(create(params))
}

func adaptive() anthropic.ThinkingConfigParamUnion {
	return anthropic.ThinkingConfigParamUnion{OfAdaptive: &anthropic.ThinkingConfigAdaptiveParam{}}
}

func conversation() string {
	params := asked()
	params.Messages = nil
	params.Thinking = adaptive()
	said := ""
	for turn := 1; turn <= 8; turn++ {
		words := fmt.Sprintf("What is arch number %d?", turn)
		params.Messages = append(params.Messages, anthropic.NewUserMessage(anthropic.NewTextBlock(words)))
		message := create(params)
		params.Messages = append(params.Messages, message.ToParam())
		said = text(message)
	}
	return said
}

func main() {
	plain := asked(anthropic.NewTextBlock(question))
	scenarios := map[string]func() string{
		"answer": func() string { return text(create(plain)) },
		"stream": func() string { return stream(plain) },
		"tools":  tools,
		"thinking": func() string {
			plain.Thinking = adaptive()
			return stream(plain)
		},
		"image": func() string {
			return stream(asked(anthropic.NewImageBlockBase64("image/png", pixel), anthropic.NewTextBlock(question)))
		},
		"cache": func() string {
			block := anthropic.TextBlockParam{Text: strings.Repeat("A long text about arches. ", 1000)}
			must(0, json.Unmarshal([]byte(`{"type":"ephemeral"}`), &block.CacheControl))
			plain.System = []anthropic.TextBlockParam{block}
			stream(plain)
			return stream(plain)
		},
		"conversation": conversation,
	}
	scenario, known := scenarios[os.Args[1]]
	if !known {
		os.Exit(noSuchFeature)
	}
	fmt.Println(scenario())
}
