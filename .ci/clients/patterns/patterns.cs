// Compiles each pattern of a file, one a line, and writes those that .NET refuses.
using System.Text.RegularExpressions;

foreach (var pattern in File.ReadLines(args[0]))
{
    try { _ = new Regex(pattern); }
    catch (ArgumentException refused) { Console.WriteLine($"{pattern} {refused.Message}"); }
}
