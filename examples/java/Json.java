import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Reads and writes JSON as maps, lists, strings, doubles, booleans and null: Java has no JSON of its own. A
 * real shop uses Jackson or Gson.
 */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** @throws IllegalArgumentException if the text is not JSON */
    static Object read(String text) {
        Json json = new Json(text);
        try {
            Object value = json.value();
            if (json.peek() != 0) throw json.unexpected();
            return value;
        } catch (IndexOutOfBoundsException error) {
            throw json.unexpected();
        }
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> readObject(String text) {
        return (Map<String, Object>) read(text);
    }

    static String write(Object value) {
        if (value instanceof String string) return quote(string);
        if (value instanceof List<?> list)
            return list.stream().map(Json::write).collect(Collectors.joining(",", "[", "]"));
        if (value instanceof Map<?, ?> map)
            return map.entrySet().stream()
                    .map(entry -> quote((String) entry.getKey()) + ":" + write(entry.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        return String.valueOf(value);
    }

    private static String quote(String string) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char one : string.toCharArray())
            if (one == '"' || one == '\\') quoted.append('\\').append(one);
            else if (one < ' ') quoted.append(String.format("\\u%04x", (int) one));
            else quoted.append(one);
        return quoted.append('"').toString();
    }

    private Object value() {
        char first = peek();
        if (first == '{') {
            Map<String, Object> map = new LinkedHashMap<>();
            for (skip('{'); peek() != '}'; ) {
                if (!map.isEmpty()) skip(',');
                if (peek() != '"') throw unexpected();
                String name = string();
                skip(':');
                map.put(name, value());
            }
            skip('}');
            return map;
        }
        if (first == '[') {
            List<Object> list = new ArrayList<>();
            for (skip('['); peek() != ']'; ) {
                if (!list.isEmpty()) skip(',');
                list.add(value());
            }
            skip(']');
            return list;
        }
        if (first == '"') return string();
        int start = at;
        while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) at++;
        String word = text.substring(start, at);
        return switch (word) {
            case "true" -> true;
            case "false" -> false;
            case "null" -> null;
            default -> Double.valueOf(word);
        };
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        for (at++; text.charAt(at) != '"'; at++) {
            char one = text.charAt(at);
            if (one == '\\') {
                one = text.charAt(++at);
                if (one == 'u') {
                    one = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                    at += 4;
                } else one = "\b\f\n\r\t\"\\/".charAt("bfnrt\"\\/".indexOf(one));
            }
            string.append(one);
        }
        at++;
        return string.toString();
    }

    /** The next character that is not blank, or 0 at the end. */
    private char peek() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
        return at < text.length() ? text.charAt(at) : 0;
    }

    private void skip(char expected) {
        if (peek() != expected) throw unexpected();
        at++;
    }

    private IllegalArgumentException unexpected() {
        return new IllegalArgumentException("Invalid JSON at position " + at);
    }
}
