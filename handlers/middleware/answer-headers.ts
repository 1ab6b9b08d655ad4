// The headers of every answer: nothing keeps it, and no browser takes it for another type of content than it says.
export const answerHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;
