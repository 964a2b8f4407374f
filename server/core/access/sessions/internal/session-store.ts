import { DrizzlePostgreSQLAdapter } from "@lucia-auth/adapter-drizzle";
import type { SQL } from "drizzle-orm";
import { Lucia, TimeSpan } from "lucia";

import type { Db } from "#server/db/client.ts";

declare module "lucia" {
  interface Register {
    UserId: string;
    DatabaseSessionAttributes: SessionOrigin;
  }
}

/** What the list of sessions shows about one. */
export type SessionOrigin = {
  clientAddress?: string;
  userAgent?: string | null;
  /** When the user signed in; now by default. */
  createdAt?: string;
  /** Console sessions only. */
  lastUsedAt?: SQL;
  /** The identity provider that signed the user in. */
  providerId?: string | null;
};

type Adapter = ConstructorParameters<typeof DrizzlePostgreSQLAdapter>;

type Storage = { sessions: Adapter[1]; users: Adapter[2] };

type SessionCookie = { name: string; path: string; secure: boolean };

const USER_AGENT_MAX = 300;

/**
 * Sessions in a table, opened by a cookie that lasts 14 days. The only code that uses lucia, which is no longer
 * maintained.
 */
export class SessionStore {
  readonly #lucia: Lucia;

  constructor(db: Db, { sessions, users }: Storage, { name, ...attributes }: SessionCookie) {
    this.#lucia = new Lucia(new DrizzlePostgreSQLAdapter(db, sessions, users), {
      sessionExpiresIn: new TimeSpan(14, "d"),
      sessionCookie: { name, attributes: { ...attributes, sameSite: "lax" } },
    });
  }

  /** Starts a session with a new id and returns its Set-Cookie value. */
  async start(
    userId: string,
    { clientAddress, userAgent, createdAt, lastUsedAt, providerId }: SessionOrigin,
  ): Promise<string> {
    const { id } = await this.#lucia.createSession(userId, {
      ...(clientAddress !== undefined && { clientAddress }),
      ...(createdAt !== undefined && { createdAt }),
      ...(lastUsedAt !== undefined && { lastUsedAt }),
      ...(providerId && { providerId }),
      userAgent: userAgent?.slice(0, USER_AGENT_MAX) ?? null,
    });
    return this.#lucia.createSessionCookie(id).serialize();
  }

  /** Ends a session and returns the Set-Cookie value that clears it. */
  async end(sessionId: string): Promise<string> {
    await this.#lucia.invalidateSession(sessionId);
    return this.#lucia.createBlankSessionCookie().serialize();
  }

  /** Finds the session in a Cookie header; null without a valid one. */
  async find(cookieHeader: string): Promise<{ id: string; userId: string } | null> {
    const sessionId = this.#lucia.readSessionCookie(cookieHeader);
    if (!sessionId) return null;
    return (await this.#lucia.validateSession(sessionId)).session;
  }
}
