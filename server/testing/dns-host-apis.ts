import type { FakeApi, FakeRequest, FakeZone } from "./dns-host-server.ts";

// Fakes of DNS providers' APIs as documented: requests, answers, notation and limits that we depend on.

const json = (body: unknown, status = 200) => ({ status, body: JSON.stringify(body) });
const notFound = () => json({ error: { code: "not_found" } }, 404);
const read = ({ body }: FakeRequest): unknown => JSON.parse(body);
const idOf = ({ path }: FakeRequest) => Number(path.split("/").at(-1));
const relative = (name: string, zone: FakeZone) =>
  name === zone.name ? "@" : name.slice(0, -zone.name.length - 1);
const full = (name: string, zone: FakeZone) => (name === "@" ? zone.name : `${name}.${zone.name}`);
const page = (query: URLSearchParams) => Number(query.get("page") ?? 1);

type CloudflareBody = { type: string; name: string; content: string; priority?: number };

/** Two records a page, so that paging is needed. */
export const fakeCloudflare: FakeApi = (zone, request) => {
  const { method, path, query } = request;
  if (path === "/zones")
    return json({
      result: query.get("name") === zone.name ? [{ id: "z1", name: zone.name }] : [],
    });
  const write = () => {
    const { type, name, content, priority } = read(request) as CloudflareBody;
    const value =
      type === "MX" ? `${priority} ${content}.` : type === "CNAME" ? `${content}.` : content;
    return [name, type, value] as const;
  };
  const shown = zone.rows.map(({ id, name, type, content }) => {
    const [priority, host] = content.split(" ");
    const plain = type === "MX" ? host! : content;
    return {
      id: String(id),
      name,
      type,
      content: type === "TXT" ? plain : plain.replace(/\.$/, ""),
      ...(type === "MX" && { priority: Number(priority) }),
    };
  });
  if (method === "GET")
    return json({
      result: shown.slice((page(query) - 1) * 2, page(query) * 2),
      result_info: { total_pages: Math.ceil(shown.length / 2) },
    });
  return perRecord(zone, request, write);
};

type DigitalOceanBody = { type: string; name: string; data: string; priority?: number };

export const fakeDigitalOcean: FakeApi = (zone, request) => {
  const { method, path, query } = request;
  if (!path.startsWith(`/domains/${zone.name}`)) return notFound();
  if (method === "GET" && !path.endsWith("/records")) return json({ domain: { name: zone.name } });
  const shown = zone.rows.map(({ id, name, type, content }) => {
    const [priority, host] = content.split(" ");
    return {
      id,
      type,
      name: relative(name, zone),
      data:
        type === "TXT"
          ? content.replace(/^"|"$/g, "")
          : (type === "MX" ? host! : content).replace(/\.$/, ""),
      priority: type === "MX" ? Number(priority) : null,
    };
  });
  if (method === "GET") {
    const from = (page(query) - 1) * 2;
    const hasNext = from + 2 < shown.length;
    return json({
      domain_records: shown.slice(from, from + 2),
      links: hasNext ? { pages: { next: "next" } } : {},
    });
  }
  return perRecord(zone, request, () => {
    const { type, name, data, priority } = read(request) as DigitalOceanBody;
    const content = type === "MX" ? `${priority} ${data}` : type === "TXT" ? `"${data}"` : data;
    return [full(name, zone), type, content] as const;
  });
};

function perRecord(
  zone: FakeZone,
  request: FakeRequest,
  write: () => readonly [string, string, string],
) {
  if (request.method === "POST") return json({ result: { id: zone.add(...write()) } }, 201);
  const row = zone.rows.find(({ id }) => id === idOf(request));
  if (!row) return notFound();
  if (request.method === "DELETE") zone.rows = zone.rows.filter((one) => one !== row);
  else [row.name, row.type, row.content] = write();
  return json({});
}

type HetznerBody = {
  name: string;
  type: string;
  records: { value: string; comment?: string }[];
};
/** Comments of records that the zone had from the beginning. */
const commentOf = (value: string) => (value.includes("google") ? "Search Console" : "");

export const fakeHetzner: FakeApi = (zone, request) => {
  const { method, path, query } = request;
  if (!path.startsWith(`/zones/${zone.name}`)) return notFound();
  if (method === "GET" && !path.endsWith("/rrsets")) return json({ zone: { name: zone.name } });
  if (method === "GET") {
    const sets = setsOf(zone).map(({ name, type, contents }) => ({
      name: relative(name, zone),
      type,
      ttl: 3600,
      records: contents.map((value) => ({ value, comment: commentOf(value) })),
    }));
    const at = page(query);
    const next = at * 2 < sets.length ? at + 1 : null;
    return json({
      rrsets: sets.slice((at - 1) * 2, at * 2),
      meta: { pagination: { next_page: next } },
    });
  }
  return writeHetzner(zone, request);
};

function writeHetzner(zone: FakeZone, request: FakeRequest) {
  const { records, ...given } = read(request) as HetznerBody;
  const [, name, type] =
    /rrsets\/([^/]+)\/([A-Z]+)\/actions\/set_records$/.exec(request.path) ?? [];
  const set = { name: full(name ?? given.name, zone), type: type ?? given.type };
  const has = zone.rows.some((row) => row.name === set.name && row.type === set.type);
  if (has !== (name !== undefined)) return json({ error: { code: "conflict" } }, 409);
  // Text must be quoted, in strings of at most 255 characters.
  const isText = ({ value }: { value: string }) => /^"[^"]{1,255}"( "[^"]{1,255}")*$/.test(value);
  if (set.type === "TXT" && !records.every(isText))
    return json({ error: { code: "invalid_input" } }, 422);
  const values = records.map(({ value }) => value);
  if (records.some(({ value, comment = "" }) => comment !== commentOf(value)))
    return json({ error: { code: "comment_lost" } }, 422);
  replaceSet(zone, set, values);
  return json({ action: {} }, 201);
}

function setsOf(zone: FakeZone) {
  const sets = new Map<string, { name: string; type: string; contents: string[] }>();
  for (const { name, type, content } of zone.rows) {
    const key = `${name} ${type}`;
    const set = sets.get(key) ?? { name, type, contents: [] };
    set.contents.push(content);
    sets.set(key, set);
  }
  return [...sets.values()];
}

function replaceSet(zone: FakeZone, set: { name: string; type: string }, values: string[]) {
  zone.rows = zone.rows.filter(({ name, type }) => name !== set.name || type !== set.type);
  for (const value of values) zone.add(set.name, set.type, value);
}
