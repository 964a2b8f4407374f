import { getMe } from "#server/console/sessions/get-me.ts";
import { serve } from "#server/http/serve.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = serve(getMe);
