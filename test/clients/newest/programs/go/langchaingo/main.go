// Plays a scenario with LangChain for Go.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
)

const noSuchFeature = 64

func ask(options ...llms.CallOption) string {
	claude, err := anthropic.New(
		anthropic.WithToken(os.Getenv("ARCHWAY_KEY")),
		anthropic.WithBaseURL(os.Getenv("ARCHWAY_URL")+"/v1"),
		anthropic.WithModel(os.Getenv("ARCHWAY_MODEL")),
	)
	if err == nil {
		said := ""
		said, err = llms.GenerateFromSinglePrompt(context.Background(), claude, "What is an arch?", options...)
		if err == nil {
			return said
		}
	}
	fmt.Println(err)
	os.Exit(1)
	return ""
}

func main() {
	scenarios := map[string]func() string{
		"answer": func() string { return ask() },
		"stream": func() string {
			return ask(llms.WithStreamingFunc(func(context.Context, []byte) error { return nil }))
		},
	}
	scenario, known := scenarios[os.Args[1]]
	if !known {
		os.Exit(noSuchFeature)
	}
	fmt.Println(scenario())
}
