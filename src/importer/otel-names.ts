/**
 * The one table of the attribute names under which tracing libraries write the same thing: the OpenTelemetry GenAI conventions old and
 * new, OpenInference, OpenLLMetry (`traceloop.*`), the Vercel AI SDK (`ai.*`), Google ADK (`gcp.vertex.agent.*`), Langfuse and LangSmith.
 * The first name that a span carries counts. A name that ends in `.` stands for numbered attributes: `gen_ai.prompt.0.role`.
 */
export const NAMES = {
  /** What the span stands for; its values are in `KINDS`. */
  kind: [
    "openinference.span.kind",
    "gen_ai.operation.name",
    "traceloop.span.kind",
    "ai.operationId",
    "langfuse.observation.type",
    "langsmith.span.kind",
    "llm.request.type",
  ],
  modelInput: [
    "gen_ai.input.messages",
    "gen_ai.prompt.",
    "llm.input_messages.",
    "ai.prompt.messages",
    "gcp.vertex.agent.llm_request",
    "gen_ai.prompt",
    "ai.prompt",
    "langfuse.observation.input",
    "traceloop.entity.input",
    "input.value",
    "input",
    "prompt",
  ],
  modelOutput: [
    "gen_ai.output.messages",
    "gen_ai.completion.",
    "llm.output_messages.",
    "gcp.vertex.agent.llm_response",
    "gen_ai.completion",
    "ai.response.object",
    "langfuse.observation.output",
    "traceloop.entity.output",
    "output.value",
    "output",
  ],
  /** Answers that are told in pieces. */
  responseText: ["ai.response.text", "ai.result.text"],
  responseReasoning: ["ai.response.reasoning"],
  responseCalls: ["ai.response.toolCalls", "ai.result.toolCalls"],
  system: ["gen_ai.system_instructions", "gen_ai.system_instruction"],
  model: [
    "gen_ai.response.model",
    "gen_ai.request.model",
    "llm.model_name",
    "ai.response.model",
    "ai.model.id",
    "embedding.model_name",
  ],
  toolName: [
    "gen_ai.tool.name",
    "tool.name",
    "ai.toolCall.name",
    "tool_call.function.name",
    "traceloop.entity.name",
  ],
  callId: ["gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id", "tool.id"],
  toolArguments: [
    "gen_ai.tool.call.arguments",
    "gcp.vertex.agent.tool_call_args",
    "ai.toolCall.args",
    "tool.parameters",
    "tool_call.function.arguments",
    "langfuse.observation.input",
    "traceloop.entity.input",
    "input.value",
    "input",
  ],
  toolResult: [
    "gen_ai.tool.call.result",
    "gcp.vertex.agent.tool_response",
    "ai.toolCall.result",
    "retrieval.documents.",
    "langfuse.observation.output",
    "traceloop.entity.output",
    "output.value",
    "output",
  ],
  runInput: [
    "gen_ai.input.messages",
    "langfuse.trace.input",
    "langfuse.observation.input",
    "traceloop.entity.input",
    "input.value",
    "ai.prompt",
    "gen_ai.prompt",
    "input",
  ],
  runOutput: [
    "gen_ai.output.messages",
    "langfuse.trace.output",
    "langfuse.observation.output",
    "traceloop.entity.output",
    "output.value",
    "ai.response.text",
    "ai.response.object",
    "gen_ai.completion",
    "output",
  ],
  agentName: [
    "gen_ai.agent.name",
    "agent.name",
    "graph.node.id",
    "ai.telemetry.functionId",
    "traceloop.workflow.name",
  ],
  session: [
    "gen_ai.conversation.id",
    "session.id",
    "traceloop.association.properties.session_id",
    "langfuse.session.id",
    "gcp.vertex.agent.session_id",
  ],
  inputTokens: [
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "llm.token_count.prompt",
    "ai.usage.inputTokens",
    "ai.usage.promptTokens",
  ],
  outputTokens: [
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
    "ai.usage.outputTokens",
    "ai.usage.completionTokens",
  ],
  totalTokens: [
    "gen_ai.usage.total_tokens",
    "llm.usage.total_tokens",
    "llm.token_count.total",
    "ai.usage.totalTokens",
  ],
  toolsOffered: [
    "gen_ai.tool.definitions",
    "llm.tools.",
    "ai.prompt.tools",
    "llm.request.functions.",
  ],
  /** Status of exporters that have no field for it. */
  status: ["otel.status_code", "otel.status", "error"],
  statusMessage: ["otel.status_description", "exception.message", "error.message"],
  errorType: ["error.type", "exception.type"],
} as const satisfies Record<string, readonly string[]>;

/** Values of `NAMES.kind`, in lower case. */
export const KINDS: ReadonlyMap<string, "agent" | "model" | "tool" | "other"> = new Map([
  ...(["agent", "invoke_agent", "create_agent", "workflow", "invoke_workflow"] as const).map(
    (name) => [name, "agent"] as const,
  ),
  ...(
    ["llm", "generation", "chat", "completion", "text_completion", "generate_content"] as const
  ).map((name) => [name, "model"] as const),
  ...(
    [
      "ai.generatetext.dogenerate",
      "ai.streamtext.dostream",
      "ai.generateobject.dogenerate",
      "ai.streamobject.dostream",
    ] as const
  ).map((name) => [name, "model"] as const),
  ...(["tool", "execute_tool", "ai.toolcall", "retriever"] as const).map(
    (name) => [name, "tool"] as const,
  ),
  ...(["ai.generatetext", "ai.streamtext", "ai.generateobject", "ai.streamobject"] as const).map(
    (name) => [name, "agent"] as const,
  ),
  ...(
    [
      "chain",
      "task",
      "span",
      "embedding",
      "embeddings",
      "reranker",
      "guardrail",
      "evaluator",
      "event",
      "prompt",
    ] as const
  ).map((name) => [name, "other"] as const),
]);

/** Beginnings of attributes that only spans of agents carry. */
export const MARKS = [
  "gen_ai.",
  "openinference.span.",
  "traceloop.span.",
  "ai.operationId",
  "gcp.vertex.agent.",
  "llm.",
  "langfuse.observation.",
  "langsmith.span.",
];
