// The throttling of an HTTP API's stage: a token bucket for all requests together
// (docs.aws.amazon.com/apigateway/latest/developerguide/http-api-throttling.html). AWS aims at these numbers without a promise; here they are exact.

export type RouteSettings = { throttlingRateLimit?: number; throttlingBurstLimit?: number };

export class StageThrottle {
  readonly #settings: RouteSettings;
  #tokens: number;
  #at: number | undefined;

  /** Without settings a stage takes everything that the account takes. */
  constructor(settings: RouteSettings = {}) {
    this.#settings = settings;
    this.#tokens = settings.throttlingBurstLimit ?? 0;
  }

  /** Whether one more request is taken. @param now in milliseconds, of a clock that only goes forward */
  takes(now: number): boolean {
    const { throttlingRateLimit: rate, throttlingBurstLimit: burst } = this.#settings;
    if (rate === undefined || burst === undefined) return true;
    const since = now - (this.#at ?? now);
    this.#at = now;
    this.#tokens = Math.min(burst, this.#tokens + (since / 1000) * rate);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
