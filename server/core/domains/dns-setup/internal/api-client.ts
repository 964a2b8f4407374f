import { DnsHostFailure, type SetChange } from "#server/core/domains/dns-setup/dns-host.ts";
import { OutgoingFailure, type OutgoingHttp } from "#server/gateways/outgoing-http.ts";
import { parseJson } from "#server/universal/parse-json.ts";

/** Where an adapter sends its requests; tests replace the address by that of a fake. */
export type Api = { http: OutgoingHttp; baseUrl: string };

const TIMEOUT_MS = 8_000;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

function kindOf(status: number) {
  if (status === 401 || status === 403) return "credentials";
  if (status === 429) return "rate_limit";
  return status >= 500 || status < 400 ? "unavailable" : "rejected";
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A client for JSON APIs with a bearer token. Throws DnsHostFailure unless the status is a success. */
export function jsonApi({ http, baseUrl }: Api, token: string) {
  return async <Answer>(method: Method, path: string, body?: object): Promise<Answer> => {
    const answer = await http
      .request({
        url: baseUrl + path,
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: "application/json",
          ...(body && { "content-type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
        timeoutMs: TIMEOUT_MS,
        answerBytesMax: ANSWER_BYTES_MAX,
      })
      .catch((error: unknown) => {
        if (error instanceof OutgoingFailure) throw new DnsHostFailure("unavailable", error.code);
        throw error;
      });
    const { status } = answer;
    if (status < 200 || status > 299) throw new DnsHostFailure(kindOf(status), String(status));
    if (answer.isCut) throw new DnsHostFailure("unavailable", "answer too long");
    const text = answer.body.toString("utf8");
    try {
      return (text === "" ? {} : parseJson(text)) as Answer;
    } catch {
      throw new DnsHostFailure("unavailable", "answer isn’t JSON");
    }
  };
}

/** A zone with more pages has more records than an account's owner enters. */
const PAGES_MAX = 50;

/**
 * Reads all pages of a list, from page 1.
 *
 * @throws DnsHostFailure for too many: with an incomplete list, changes would replace records that it lacks
 */
export async function readPages<Item>(
  readPage: (page: number) => Promise<{ items: Item[]; isLast: boolean }>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (let page = 1; page <= PAGES_MAX; page++) {
    const { items, isLast } = await readPage(page);
    all.push(...items);
    if (isLast) return all;
  }
  throw new DnsHostFailure("zone_too_large", `more than ${PAGES_MAX} pages`);
}

/** The first of the zones that an API has at `folder` followed by its name; null for none. */
export async function findNamed(
  call: ReturnType<typeof jsonApi>,
  folder: string,
  names: string[],
): Promise<string | null> {
  for (const name of names)
    try {
      await call("GET", folder + encodeURIComponent(name));
      return name;
    } catch (error) {
      if (!(error instanceof DnsHostFailure) || error.kind !== "rejected") throw error;
    }
  return null;
}

type Calls = {
  create: (record: SetChange["added"]) => Promise<unknown>;
  update: (id: string, record: SetChange["added"]) => Promise<unknown>;
  remove: (id: string) => Promise<unknown>;
};

/**
 * Changes a set at a provider whose API knows single records: the first replaced record is updated in place, so that there
 * is no moment without one, and further ones are deleted afterwards.
 */
export async function writeRecords(
  { before, kept, added }: SetChange,
  { create, update, remove }: Calls,
): Promise<void> {
  const [first, ...others] = before.filter((record) => !kept.includes(record));
  await (first?.id ? update(first.id, added) : create(added));
  for (const { id } of others) if (id) await remove(id);
}
