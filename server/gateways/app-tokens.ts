import { createPrivateKey, sign } from "node:crypto";

import { z } from "zod";

import { ImapSourceError, oneLine } from "./imap-source.ts";
import { OutgoingFailure, type OutgoingHttp } from "./outgoing-http.ts";

/** A provider where an admin gives an app access to all mailboxes of a company at once. */
export type AppProvider = "google" | "microsoft";

type Grant = { tokenUrl: string; form: Record<string, string> };

type Provider = {
  name: string;
  tokenUrl: string;
  /** What the app signs in with, as pasted or composed by an admin. */
  credentials: z.ZodType;
  /** What the credentials must be; follows the name of a field. */
  expected: string;
  /** What to check if the app has a token, but can't open an account with it. */
  unopened: string;
};

const isRsaKey = (pem: string) => {
  try {
    return createPrivateKey(pem).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
};

const GoogleKey = z.object({
  type: z.literal("service_account"),
  client_email: z.email(),
  private_key: z.string().refine(isRsaKey),
});

const MicrosoftApp = z.object({
  // Part of a URL.
  tenant_id: z.string().regex(/^[a-z0-9][a-z0-9.-]{0,252}$/i),
  client_id: z.guid(),
  client_secret: z.string().min(1).max(1_000),
});

/** Tests replace the token URLs with that of a fake server. */
export const APP_PROVIDERS: Record<AppProvider, Provider> = {
  google: {
    name: "Google",
    tokenUrl: "https://oauth2.googleapis.com/token",
    credentials: GoogleKey,
    expected: "must be the JSON key of a service account",
    unopened: "Check that the account exists and that IMAP is allowed for it",
  },
  microsoft: {
    name: "Microsoft",
    tokenUrl: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token",
    credentials: MicrosoftApp,
    expected: "must have the tenant ID, client ID and client secret of an app registration",
    unopened:
      "Check that the app has the permission IMAP.AccessAsApp, and that New-ServicePrincipal and Add-MailboxPermission were run for it",
  },
};

/**
 * Reads the credentials of an app from JSON.
 *
 * @returns the fields that are needed to sign in, as JSON without line breaks
 * @throws SyntaxError that says what is expected
 */
export function readAppCredentials(provider: AppProvider, text: string): string {
  const { credentials, expected } = APP_PROVIDERS[provider];
  try {
    return JSON.stringify(credentials.parse(JSON.parse(text)));
  } catch {
    throw new SyntaxError(expected);
  }
}

const TIMEOUT_MS = 15_000;
const ANSWER_BYTES_MAX = 64 * 1024;

/**
 * Gets a token with which an app signs in to an account over IMAP. It is valid for about an hour.
 *
 * @param credentials as `readAppCredentials` returns them
 * @throws ImapSourceError
 */
export async function fetchAppToken(
  provider: AppProvider,
  { credentials, account }: { credentials: string; account: string },
  http: OutgoingHttp,
): Promise<string> {
  const { name } = APP_PROVIDERS[provider];
  const { tokenUrl, form } =
    provider === "google" ? googleGrant(credentials, account) : microsoftGrant(credentials);
  const answer = await http
    .request({
      url: tokenUrl,
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: new URLSearchParams(form).toString(),
      timeoutMs: TIMEOUT_MS,
      answerBytesMax: ANSWER_BYTES_MAX,
    })
    .catch((error: unknown) => {
      if (!(error instanceof OutgoingFailure)) throw error;
      throw new ImapSourceError("unavailable", `${name} can't be reached (${error.code})`);
    });
  const { status } = answer;
  const said = readAnswer(answer.body);
  if (status === 200 && said.access_token) return said.access_token;
  if (status === 429)
    throw new ImapSourceError("throttled", `${name} is limiting requests for access tokens`);
  if (status !== 400 && status !== 401 && status !== 403)
    throw new ImapSourceError("unavailable", `${name} responded with status ${status}`);
  const reason = oneLine(said.error_description ?? said.error ?? `status ${status}`);
  throw new ImapSourceError("rejected", `${name} rejected the app: ${reason}`);
}

const Answer = z.object({
  access_token: z.string().optional(),
  error: z.string().optional(),
  error_description: z.string().optional(),
});

function readAnswer(body: Buffer): z.infer<typeof Answer> {
  try {
    return Answer.parse(JSON.parse(body.toString("utf8")));
  } catch {
    return {};
  }
}

/** A service account that acts as a user of its domain: "domain-wide delegation" (RFC 7523). */
function googleGrant(credentials: string, account: string): Grant {
  const { client_email: issuer, private_key: key } = GoogleKey.parse(JSON.parse(credentials));
  const { tokenUrl } = APP_PROVIDERS.google;
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    iss: issuer,
    sub: account,
    scope: "https://mail.google.com/",
    aud: tokenUrl,
    iat: now,
    exp: now + 3_600,
  };
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const signed = `${encode({ alg: "RS256", typ: "JWT" })}.${encode(claims)}`;
  const signature = sign("sha256", Buffer.from(signed), key).toString("base64url");
  return {
    tokenUrl,
    form: {
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: `${signed}.${signature}`,
    },
  };
}

/** The app's own permission, for all mailboxes that Exchange gives it access to (RFC 6749, 4.4). */
function microsoftGrant(credentials: string): Grant {
  const { tenant_id: tenant, ...app } = MicrosoftApp.parse(JSON.parse(credentials));
  return {
    tokenUrl: APP_PROVIDERS.microsoft.tokenUrl.replace("{tenant}", tenant),
    form: {
      ...app,
      grant_type: "client_credentials",
      scope: "https://outlook.office365.com/.default",
    },
  };
}
