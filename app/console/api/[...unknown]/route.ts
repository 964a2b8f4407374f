import { serveUnknownPaths } from "#server/http/serve.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = serveUnknownPaths();
