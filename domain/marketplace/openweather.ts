// OpenWeather: weather, forecast and air quality of a place, by its API of version 2.5. Paths and parameters were compared with
// openweathermap.org/api/geocoding-api and /api/air-pollution and with the package pyowm 3.5.0 of PyPI (2026-11).
import { type ApiOperation, apiDocument, toolsOf } from "./api-document.ts";
import { monogram } from "./monogram.ts";
import type { Provider } from "./provider.ts";

const words = {
  units: { type: "string", description: "Kelvin unless given", enum: ["standard", "metric", "imperial"] },
  lang: { type: "string", description: "Language of the words, e.g. de" },
} as const;
const coordinates = {
  lat: { type: "number", description: "Latitude", required: true },
  lon: { type: "number", description: "Longitude", required: true },
} as const;
const place = { type: "string", description: "City, with the country's code, e.g. London,GB", required: true } as const;
const most = { type: "integer", description: "How many places, 5 at the most" } as const;

const operations: readonly ApiOperation[] = [
  {
    at: "get /data/2.5/weather",
    tool: "current_weather",
    description: "The weather of a city now",
    query: { q: place, ...words },
  },
  {
    at: "get /data/2.5/forecast",
    tool: "forecast",
    description: "The weather of a city for five days, every three hours",
    query: { q: place, cnt: { type: "integer", description: "How many of the three hours" }, ...words },
  },
  {
    at: "get /data/2.5/air_pollution",
    tool: "air_pollution",
    description: "The air's quality at a place now",
    query: coordinates,
  },
  {
    at: "get /geo/1.0/direct",
    tool: "find_place",
    description: "Latitude and longitude of a place by its name",
    query: { q: place, limit: most },
  },
  {
    at: "get /geo/1.0/reverse",
    tool: "name_place",
    description: "The names of the places at a latitude and longitude",
    query: { ...coordinates, limit: most },
  },
];

export const openweather = {
  kind: "openapi",
  provider_id: "openweather",
  name: "OpenWeather",
  description: "Weather, forecast and air quality of any place",
  icon: monogram("OW", "#b0490f"),
  secret: {
    label: "API key",
    description: "A key of the account; a new one works after some minutes",
    documentation_url: "https://openweathermap.org/appid",
  },
  configuration: [],
  tools: toolsOf(operations),
  auth: { kind: "api_key", location: "query", name: "appid" },
  check: { url: "https://api.openweathermap.org/data/2.5/weather?q=London" },
  document: apiDocument({ title: "OpenWeather", server: "https://api.openweathermap.org", operations }),
} satisfies Provider;
