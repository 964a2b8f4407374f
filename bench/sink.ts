import { anSmtpSink, type SinkSettings } from "#server/testing/smtp-sink.ts";

// A mail server in a separate process that only counts messages. Prints its port, then its count on request.
const settings = JSON.parse(process.argv[2] ?? "{}") as Partial<SinkSettings>;
const sink = await anSmtpSink({ keep: false, ...settings });
process.on("message", () => process.send!({ accepted: sink.accepted() }));
process.on("disconnect", () => process.exit());
process.send!({ port: sink.port });
