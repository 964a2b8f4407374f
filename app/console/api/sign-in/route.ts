import { signIn } from "#server/console/sessions/sign-in.ts";
import { serve } from "#server/http/serve.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = serve(signIn);
