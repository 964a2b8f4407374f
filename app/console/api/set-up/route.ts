import { getSetUp } from "#server/console/set-up/get-set-up.ts";
import { setUp } from "#server/console/set-up/set-up.ts";
import { serve } from "#server/http/serve.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = serve(getSetUp, setUp);
