/** A curl command for `POST /emails`. The API key is read from the environment. */
export function curlSnippet(baseUrl: string, email: Record<string, unknown>): string {
  return [
    `curl ${baseUrl}/emails \\`,
    `  -H "Authorization: Bearer $POSTHOUSE_API_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d ${shellQuoted(JSON.stringify(email, null, 2).replaceAll("\n", "\n  "))}`,
  ].join("\n");
}

/** Inside single quotes, a shell interprets nothing but the closing quote. */
const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
