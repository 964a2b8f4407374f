import type { Sql } from "postgres";

import type { Tenants } from "./seed-emails.ts";

/** Milliseconds from the request to the complete response. */
export type Measured = { p50: number; p99: number };

const METRICS_RUNS = 10;
const SAMPLES = 200;

/**
 * Sends one request after another, each kind with ids from the whole list. Any response but a 200 ends the
 * run.
 */
export async function measureReads(
  sql: Sql,
  url: string,
  { large, largest }: Tenants,
  requests: number,
): Promise<Record<string, Measured>> {
  const emails = await sql<{ id: string }[]>`
    select id from (
      select id, row_number() over (order by created_at) as place, count(*) over () as total
      from emails where company_id = ${largest.companyId}
    ) as numbered where place % greatest(total / ${SAMPLES}, 1) = 0`;
  const logs = await sql<{ id: string }[]>`
    select id from request_log where company_id = ${largest.companyId} order by created_at limit ${SAMPLES}`;
  const reads: Record<string, string[]> = {
    "GET /emails": ["/emails"],
    "GET /emails?limit=100": ["/emails?limit=100"],
    "GET /emails?after": emails.map(({ id }) => `/emails?after=${id}`),
    "GET /emails?before": emails.map(({ id }) => `/emails?before=${id}`),
    "GET /emails/{id}": emails.map(({ id }) => `/emails/${id}`),
    "GET /emails/{id}/events": emails.map(({ id }) => `/emails/${id}/events`),
    "GET /logs": ["/logs"],
    "GET /logs?after": logs.map(({ id }) => `/logs?after=${id}`),
  };
  const measured: Record<string, Measured> = {};
  for (const [name, paths] of Object.entries(reads))
    measured[name] = await measure(url, largest.token, paths, requests);

  const start = new Date(Date.now() - 365.9 * 86_400_000).toISOString();
  for (const dimensions of ["", "period", "period,domain"])
    measured[`GET /emails/metrics ${dimensions}`] = await measure(
      url,
      large.token,
      [`/emails/metrics?start_date=${start}&dimensions=${dimensions}`.replace(/&dimensions=$/, "")],
      METRICS_RUNS,
    );
  return measured;
}

async function measure(
  url: string,
  token: string,
  paths: string[],
  requests: number,
): Promise<Measured> {
  const times: number[] = [];
  for (let i = 0; i < requests; i++) {
    const startedAt = performance.now();
    const response = await fetch(url + paths[i % paths.length]!, {
      headers: { authorization: `Bearer ${token}` },
    });
    const body = await response.text();
    times.push(performance.now() - startedAt);
    if (response.status !== 200) throw new Error(`${paths[0]!}: ${response.status} ${body}`);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => Number(times[Math.floor(share * (times.length - 1))]!.toFixed(2));
  return { p50: at(0.5), p99: at(0.99) };
}
