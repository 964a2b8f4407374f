import { createHash, createHmac } from "node:crypto";

type Signed = {
  method: string;
  host: string;
  path: string;
  /** Pairs of names and values, unencoded. */
  query: [string, string][];
  body: string;
  service: string;
  region: string;
  now: Date;
};

/** Headers of a request with AWS Signature Version 4. */
export function signAws(
  { method, host, path, query, body, service, region, now }: Signed,
  { keyId, secret }: { keyId: string; secret: string },
): Record<string, string> {
  const at = now.toISOString().replace(/[-:]|\.\d{3}/g, "");
  const day = at.slice(0, 8);
  const scope = `${day}/${region}/${service}/aws4_request`;
  const headers = "host;x-amz-date";
  const canonical = [
    ...[method, path, awsQuery(query)],
    ...[`host:${host}`, `x-amz-date:${at}`, "", headers],
    sha256(body),
  ].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", at, scope, sha256(canonical)].join("\n");
  const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(
    (key, part) => createHmac("sha256", key).update(part).digest(),
    `AWS4${secret}`,
  );
  const signature = createHmac("sha256", key).update(toSign).digest("hex");
  return {
    "x-amz-date": at,
    authorization: `AWS4-HMAC-SHA256 Credential=${keyId}/${scope}, SignedHeaders=${headers}, Signature=${signature}`,
  };
}

/** A query in canonical form: sorted and encoded. */
export const awsQuery = (query: [string, string][]) =>
  query
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join("&");

const encode = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
