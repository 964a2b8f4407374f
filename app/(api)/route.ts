import { describeApi } from "#server/api/describe-api.ts";
import { serve } from "#server/http/serve.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = serve(describeApi);
