import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { AddressInfo } from "node:net";

/** A request as received. Header names are lowercase; repeated ones are joined. */
type Asked = { path: string; headers: IncomingMessage["headers"]; content: string };

type ScanAnswer = {
  score: number | null;
  action?: string;
  symbols?: Record<string, number>;
  /** `required_score` */
  rejectScore?: number;
  smtpMessage?: string;
};

export type FakeRspamd = {
  url: string;
  /** The controller's URL, on the next port. */
  controllerUrl: string;
  asked: Asked[];
  /** Its statistics backend; null for none, as with Debian's package alone. */
  backend: "redis" | "sqlite3" | null;
  /** Whether it has Redis and so greylists, unless a request disables that. */
  isGreylisting: boolean;
  /** The response to the next messages: "nothing" for none, a number for that HTTP status. */
  answer: ScanAnswer | "nothing" | "garbage" | number;
  stop(): Promise<void>;
};

/**
 * A fake of rspamd 3.4, based on answers of the real one: a `normal` worker, which refuses to learn, and
 * the controller on the next port. Both close the connection after each answer.
 */
export async function aRspamd(): Promise<FakeRspamd> {
  const rspamd: FakeRspamd = {
    url: "",
    controllerUrl: "",
    asked: [],
    backend: "sqlite3",
    isGreylisting: false,
    answer: { score: 0 },
    stop: () => Promise.resolve(),
  };
  const statistics = { spam: new Set<string>(), ham: new Set<string>() };
  const serve = (isController: boolean) => (request: IncomingMessage, response: ServerResponse) =>
    void reply(rspamd, isController ? statistics : null, request, response).catch(() =>
      response.destroy(),
    );
  const [normal, controller] = await onNeighbors(serve(false), serve(true));
  const port = (server: Server) => (server.address() as AddressInfo).port;
  rspamd.url = `http://127.0.0.1:${port(normal)}`;
  rspamd.controllerUrl = `http://127.0.0.1:${port(controller)}`;
  rspamd.stop = async () => {
    for (const server of [normal, controller]) {
      if (!server.listening) continue;
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    }
  };
  return rspamd;
}

type Statistics = { spam: Set<string>; ham: Set<string> };
type Listener = (request: IncomingMessage, response: ServerResponse) => void;

async function onNeighbors(first: Listener, second: Listener): Promise<[Server, Server]> {
  for (;;) {
    const normal = createServer(first);
    normal.listen(0, "127.0.0.1");
    await once(normal, "listening");
    const controller = createServer(second);
    controller.listen((normal.address() as AddressInfo).port + 1, "127.0.0.1");
    const isFree = await once(controller, "listening").then(
      () => true,
      () => false,
    );
    if (isFree) return [normal, controller];
    normal.close();
  }
}

async function reply(
  rspamd: FakeRspamd,
  /** Reply of the controller; null for the worker that only scans. */
  statistics: Statistics | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url!;
  response.setHeader("server", "rspamd/3.4");
  response.setHeader("connection", "close");
  if (path === "/ping") return void response.end("pong\r\n");
  if (path === "/stat") {
    showStatistics(rspamd, statistics, response);
    return;
  }
  const content = (await buffer(request)).toString("utf8");
  rspamd.asked.push({ path, headers: request.headers, content });
  if (path.startsWith("/learn")) {
    learn(path === "/learnspam" ? "spam" : "ham", content, { rspamd, statistics, response });
    return;
  }
  const { answer } = rspamd;
  if (answer === "nothing") return;
  if (answer === "garbage") return void response.end("<html>");
  if (typeof answer === "number")
    return void response.writeHead(answer).end('{"error":"invalid command"}');
  response.setHeader("content-type", "application/json");
  const greylists = rspamd.isGreylisting && !isGreylistOff(request.headers.settings);
  response.end(JSON.stringify(scanned(greylists ? GREYLISTED : answer)));
}

const GREYLISTED: ScanAnswer = {
  score: 0,
  action: "soft reject",
  symbols: { GREYLIST: 0 },
  smtpMessage: "Try again later",
};

/** GREYLIST_CHECK answers before other rules run; `groups_disabled: ["greylist"]` has no effect. */
function isGreylistOff(settings: string | string[] | undefined): boolean {
  const { symbols_disabled: off } = JSON.parse(String(settings ?? "{}")) as {
    symbols_disabled?: string[];
  };
  return off?.includes("GREYLIST_CHECK") ?? false;
}

const INVALID = '{"error":"invalid command","error_domain":"protocol-error"}';

function learn(
  kind: "spam" | "ham",
  content: string,
  {
    rspamd: { backend },
    statistics,
    response,
  }: { rspamd: FakeRspamd; statistics: Statistics | null; response: ServerResponse },
): void {
  if (!statistics) return void response.writeHead(500).end(INVALID);
  if (!backend)
    return void response.writeHead(204, `all learn conditions denied learning ${kind}`).end();
  if (statistics[kind].has(content))
    return void response
      .writeHead(backend === "redis" ? 208 : 404)
      .end(`{"error":"<x@y> has been already learned as ${kind}, ignore it"}`);
  statistics[kind].add(content);
  response.end('{"success":true}');
}

function showStatistics(
  { backend }: FakeRspamd,
  statistics: Statistics | null,
  response: ServerResponse,
): void {
  if (!statistics) return void response.writeHead(500).end(INVALID);
  const statfiles = (["spam", "ham"] as const).map((kind) => ({
    symbol: `BAYES_${kind.toUpperCase()}`,
    type: backend,
    revision: statistics[kind].size,
  }));
  response.end(JSON.stringify({ version: "3.4", statfiles: backend ? statfiles : [] }));
}

function scanned({ score, action, symbols = {}, rejectScore = 15, smtpMessage }: ScanAnswer) {
  return {
    is_skipped: false,
    score,
    required_score: rejectScore,
    action: action ?? actionFor(score ?? 0, rejectScore),
    symbols: Object.fromEntries(
      Object.entries(symbols).map(([name, symbolScore]) => [
        name,
        { name, score: symbolScore, metric_score: symbolScore, description: "…", options: ["x"] },
      ]),
    ),
    messages: smtpMessage === undefined ? {} : { smtp_message: smtpMessage },
    "message-id": "a@example.org",
    time_real: 0.5,
    milter: { remove_headers: { "X-Spam": 0 } },
  };
}

function actionFor(score: number, rejectScore: number): string {
  if (score >= rejectScore) return "reject";
  return score >= 6 ? "add header" : "no action";
}
