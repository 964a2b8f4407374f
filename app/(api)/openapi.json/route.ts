import { getOpenapi } from "#server/api/get-openapi.ts";
import { serve } from "#server/http/serve.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = serve(getOpenapi);
