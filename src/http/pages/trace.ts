import { definePage } from "../definitions/route.ts";

/** A page, not a route of the API: the whole sandbox as one HTML file. */
export const pages = [
  definePage({
    path: "/_sandbox/trace",
    method: "GET",
    handle: async (call, { writeTrace }) => ({
      status: 200,
      headers: {
        "content-type": "text/html; charset=utf-8",
        // It is for a file: as a page of this origin it could call the control routes.
        "content-disposition": 'attachment; filename="pix-sandbox-trace.html"',
      },
      body: await writeTrace({ isUnmasked: call.url.searchParams.get("masked") === "false" }),
    }),
  }),
];
