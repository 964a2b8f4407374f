import { type JsonWebKey, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

import { AcmeProblem, openRequest, problem, thumbprint } from "./acme-jws.ts";
import type { Account, Authorization, Challenge, Order } from "./acme-jws.ts";
import { anAuthority, type TestAuthority, type Validation, validators } from "./acme-authority.ts";

export type AcmeServer = {
  /** For POSTHOUSE_ACME. */
  directoryUrl: string;
  /** The certificate that clients must trust, PEM. */
  root: string;
  accounts: Map<string, Account>;
  /** The names of each order, in order. */
  orders: string[][];
  /** Each validation as `type name`, in order. */
  validations: string[];
  /** How the next requests are answered. */
  script: {
    /** This many requests get `badNonce`. */
    badNonces: number;
    /** New orders get `rateLimited` with this Retry-After. */
    rateLimitSeconds: number | null;
    /** Only these challenges are offered. */
    types: string[];
    validDays: number;
  };
  /** TXT records, for DNS-01. */
  txt: Pick<Map<string, string[]>, "get" | "set">;
  /** Where the names' hosts listen. Can be changed at any time. */
  ports: { http: number; tls: number };
  close(): Promise<void>;
};

/** A certificate authority with an ACME server (RFC 8555) on loopback. It validates names by connecting to 127.0.0.1. */
export async function anAcmeServer(
  ports: { http: number; tls: number } = { http: 80, tls: 443 },
): Promise<AcmeServer> {
  const authority = await anAuthority();
  const server = createServer((request, response) => {
    state.handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state = new AcmeState(url, authority, ports);
  return Object.assign(state, {
    directoryUrl: `${url}/directory`,
    root: authority.root,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
}

class AcmeState {
  readonly accounts = new Map<string, Account>();
  readonly orders: string[][] = [];
  readonly validations: string[] = [];
  txt: AcmeServer["txt"] = new Map<string, string[]>();
  readonly ports: { http: number; tls: number };
  readonly script: AcmeServer["script"] = {
    badNonces: 0,
    rateLimitSeconds: null,
    types: ["http-01", "tls-alpn-01", "dns-01"],
    validDays: 90,
  };
  readonly #url: string;
  readonly #authority: TestAuthority;
  readonly #nonces = new Set<string>();
  readonly #orders: Order[] = [];
  readonly #authorizations: Authorization[] = [];

  constructor(url: string, authority: TestAuthority, ports: { http: number; tls: number }) {
    this.#url = url;
    this.#authority = authority;
    this.ports = ports;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const nonce = randomBytes(16).toString("base64url");
    this.#nonces.add(nonce);
    response.setHeader("replay-nonce", nonce);
    response.setHeader("cache-control", "no-store");
    try {
      if (request.url === "/directory") this.#answer(response, 200, this.#directory());
      else if (request.url === "/new-nonce") response.writeHead(200).end();
      else await this.#post(request, response);
    } catch (error) {
      if (!(error instanceof AcmeProblem)) throw error;
      if (error.retryAfter !== null) response.setHeader("retry-after", error.retryAfter);
      this.#answer(response, error.status, problem(error));
    }
  }

  #directory() {
    const at = (path: string) => `${this.#url}/${path}`;
    return {
      newNonce: at("new-nonce"),
      newAccount: at("new-account"),
      newOrder: at("new-order"),
      meta: { termsOfService: at("terms") },
    };
  }

  #answer(response: ServerResponse, status: number, body: object, location?: string): void {
    if (location) response.setHeader("location", location);
    const type = status >= 400 ? "application/problem+json" : "application/json";
    response.writeHead(status, { "content-type": type }).end(JSON.stringify(body));
  }

  async #post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = `${this.#url}${request.url}`;
    const { payload, account, key } = openRequest(await json(request), {
      url,
      accounts: this.accounts,
      takeNonce: (nonce) => this.#takeNonce(nonce),
    });
    const [, kind = "", id, part] = request.url!.split("/");
    if (account === null && kind !== "new-account")
      throw new AcmeProblem("accountDoesNotExist", "Sign with an account");
    const place = Number(id);
    const handlers: Record<string, () => void | Promise<void>> = {
      "new-account": () => this.#newAccount(response, payload, key),
      account: () => this.#answer(response, 200, { status: "valid" }),
      "new-order": () => this.#newOrder(response, payload, account!),
      order: () => this.#answer(response, 200, this.#shown(place)),
      authorization: () => this.#answer(response, 200, this.#shownAuthorization(place)),
      challenge: () => this.#challenge(response, place, part!, account!),
      finalize: () => this.#finalize(response, place, payload),
      certificate: () => this.#sendCertificate(response, place),
    };
    const handle = handlers[kind];
    if (!handle) throw new AcmeProblem("malformed", "No such resource", 404);
    await handle();
  }

  #sendCertificate(response: ServerResponse, id: number): void {
    response
      .writeHead(200, { "content-type": "application/pem-certificate-chain" })
      .end(this.#orders[id]!.certificate);
  }

  #takeNonce(nonce: string): boolean {
    if (this.script.badNonces > 0) {
      this.script.badNonces--;
      return false;
    }
    return this.#nonces.delete(nonce);
  }

  #newAccount(response: ServerResponse, payload: Record<string, unknown>, key: JsonWebKey): void {
    if (payload.termsOfServiceAgreed !== true)
      throw new AcmeProblem("userActionRequired", "Agree to the terms of service", 403);
    const contact = (payload.contact ?? []) as string[];
    const url = `${this.#url}/account/${thumbprint(key)}`;
    const isKnown = this.accounts.has(url);
    this.accounts.set(url, { key, contact });
    this.#answer(response, isKnown ? 200 : 201, { status: "valid", contact }, url);
  }

  #newOrder(response: ServerResponse, payload: Record<string, unknown>, account: string): void {
    if (this.script.rateLimitSeconds !== null)
      throw new AcmeProblem(
        ...(["rateLimited", "Too many certificates already issued", 429] as const),
        this.script.rateLimitSeconds,
      );
    const names = (payload.identifiers as { value: string }[]).map(({ value }) => value);
    this.orders.push(names);
    const authorizations = names.map((name) => {
      const challenges = this.script.types.map((type) => {
        const token = randomBytes(24).toString("base64url");
        return { type, token, status: "pending" as const };
      });
      return this.#authorizations.push({ name, status: "pending", challenges }) - 1;
    });
    const id = this.#orders.push({ names, authorizations, account }) - 1;
    this.#answer(response, 201, this.#shown(id), `${this.#url}/order/${id}`);
  }

  #shown(id: number) {
    const order = this.#orders[id]!;
    const all = order.authorizations.map((one) => this.#authorizations[one]!.status);
    const isReady = all.every((status) => status === "valid");
    const status = order.certificate ? "valid" : isReady ? "ready" : "pending";
    return {
      status: all.includes("invalid") ? "invalid" : status,
      identifiers: order.names.map((value) => ({ type: "dns", value })),
      authorizations: order.authorizations.map((one) => `${this.#url}/authorization/${one}`),
      finalize: `${this.#url}/finalize/${id}`,
      ...(order.certificate && { certificate: `${this.#url}/certificate/${id}` }),
    };
  }

  #shownAuthorization(id: number) {
    const { name, status, challenges } = this.#authorizations[id]!;
    return {
      status,
      identifier: { type: "dns", value: name },
      challenges: challenges.map((one) => this.#shownChallenge(id, one)),
    };
  }

  #shownChallenge(id: number, { type, token, status, error }: Challenge) {
    const url = `${this.#url}/challenge/${id}/${type}`;
    return { type, token, status, url, ...(error && { error }) };
  }

  #challenge(response: ServerResponse, id: number, type: string, account: string): void {
    const authorization = this.#authorizations[id]!;
    const challenge = authorization.challenges.find((one) => one.type === type)!;
    if (challenge.status === "pending") {
      challenge.status = "processing";
      void this.#validate(authorization, challenge, this.accounts.get(account)!);
    }
    this.#answer(response, 200, this.#shownChallenge(id, challenge));
  }

  async #validate(authorization: Authorization, challenge: Challenge, { key }: Account) {
    const { name } = authorization;
    this.validations.push(`${challenge.type} ${name}`);
    const validation: Validation = {
      name,
      token: challenge.token,
      address: "127.0.0.1",
      ports: this.ports,
      keyAuthorization: `${challenge.token}.${thumbprint(key)}`,
      txt: (at) => this.txt.get(at) ?? [],
    };
    const detail = await validators[challenge.type]!(validation).catch(String);
    challenge.status = detail === null ? "valid" : "invalid";
    authorization.status = challenge.status;
    if (detail !== null) challenge.error = problem(new AcmeProblem("unauthorized", detail, 403));
  }

  async #finalize(response: ServerResponse, id: number, payload: Record<string, unknown>) {
    const order = this.#orders[id]!;
    if (this.#shown(id).status !== "ready")
      throw new AcmeProblem("orderNotReady", "The order is not ready", 403);
    const { chain, names } = await this.#authority.sign(
      payload.csr as string,
      this.script.validDays,
    );
    if (names.toSorted().join() !== order.names.toSorted().join())
      throw new AcmeProblem("badCSR", "The request has other names than the order");
    order.certificate = chain;
    this.#answer(response, 200, this.#shown(id), `${this.#url}/order/${id}`);
  }
}
