// The proxy's limits that AWS sets, known to the edge and to the handler alike.

/**
 * Lambda takes a request of 6 MB (docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html). The event carries the
 * body inside JSON, so it is kept a little smaller; what escaping makes larger still is refused by Lambda itself.
 */
export const maxBodyBytes = 6 * 1024 * 1024 - 64 * 1024;

/** CloudFront waits this long for the first byte and between two; 180 s is its most without a quota request. */
export const originReadTimeoutSeconds = 120;
