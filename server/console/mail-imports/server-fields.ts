import { z } from "zod";

/** How to reach the other server, and to sign in there. Values are validated in `core`. */
export const serverFields = {
  host: z.string().max(1_000).describe("Hostname or IP address"),
  port: z.int(),
  security: z.enum(["tls", "starttls", "none"]).default("tls"),
  secret_kind: z.enum(["password", "oauth"]).default("password"),
};

export const accountFields = {
  account: z.string().max(1_000),
  secret: z.string().max(20_000).describe("Password, app password or OAuth access token"),
};
