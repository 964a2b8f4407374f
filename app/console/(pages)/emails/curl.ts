/** A call of `POST /emails` for a terminal. The key stays out of it: it comes from the environment. */
export function curlOf(baseUrl: string, email: Record<string, unknown>): string {
  return [
    `curl ${baseUrl}/emails \\`,
    `  -H "Authorization: Bearer $POSTHOUSE_API_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d ${inSingleQuotes(JSON.stringify(email, null, 2).replaceAll("\n", "\n  "))}`,
  ].join("\n");
}

/** Between single quotes a shell reads everything as it is but the single quote itself. */
const inSingleQuotes = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
