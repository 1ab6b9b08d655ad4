// The proxy's edge function: what CloudFront runs on each viewer request, before the origin sees it.
import { errorBody } from "../../handlers/middleware/refusal-form.ts";

/**
 * JavaScript for CloudFront Functions 2.0. It tells the origin the viewer's host, which CloudFront itself replaces,
 * and overwrites what the viewer sent under that name; it refuses a declared body above the limit in our error shape,
 * with CloudFront's own id of the request.
 */
export function viewerRequest(limitBytes: number): string {
  const tooLarge = errorBody(
    "request_too_large",
    `The request body is larger than the ${limitBytes} bytes that the proxy accepts.`,
    "",
  );
  return `function handler(event) {
  var request = event.request;
  var length = request.headers['content-length'];
  if (length && Number(length.value) > ${limitBytes}) {
    var error = ${JSON.stringify(tooLarge)};
    error.request_id = event.context.requestId;
    return {
      statusCode: 413,
      statusDescription: 'Payload Too Large',
      headers: {
        'content-type': { value: 'application/json' },
        'cache-control': { value: 'no-store' },
        'x-content-type-options': { value: 'nosniff' },
        'request-id': { value: error.request_id }
      },
      body: { encoding: 'text', data: JSON.stringify(error) }
    };
  }
  request.headers['x-viewer-host'] = { value: request.headers.host.value };
  return request;
}
`;
}
