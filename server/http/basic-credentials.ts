/** The user name and password of an `Authorization` header with the Basic scheme (RFC 7617); null without both. */
export function basicCredentials(
  authorization = "",
): { username: string; password: string } | null {
  const [, encoded] = /^Basic +([\w+/-]+=*) *$/i.exec(authorization) ?? [];
  const [, username, password] =
    /^(.*?):(.*)$/s.exec(Buffer.from(encoded ?? "", "base64").toString()) ?? [];
  return username && password ? { username, password } : null;
}
