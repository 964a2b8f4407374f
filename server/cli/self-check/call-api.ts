import type { Check } from "./self-check.ts";

/**
 * Calls the REST API with the sandbox company's key.
 *
 * @throws Error with the API's message unless it answers 200
 */
export async function callApi(
  { apiUrl, sandbox, signal }: Check,
  method: "GET" | "POST",
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${apiUrl}${path}`, {
    method,
    signal,
    headers: { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw new Error(`web does not respond at ${apiUrl}: see \`posthouse logs --process web\``, {
      cause: error,
    });
  });
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as Record<string, unknown>;
  throw new Error(
    `${method} ${path.split("?")[0]!} returned ${response.status} ${text.slice(0, 300)}: see \`posthouse logs --process web\``,
  );
}
